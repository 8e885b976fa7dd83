import type { Engine, Variant } from '../../framework/engine.ts';
import * as index from './routes/index.ts';

const only: Variant = { endpoints: Object.values(index) };

/** JSON maps that the token alone reaches that wrote them, and that go with it. Its store is the token's own. */
export const cubbyhole: Engine = {
  type: 'cubbyhole',
  kind: 'secret',
  summary: 'Secrets of one token each, which nobody else reaches and which are gone with it',
  builtIn: true,
  variant: () => only,
};
