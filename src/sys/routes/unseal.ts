import { mountMissing } from '../../core/first-state.ts';
import { SEAL_SCHEMA, sealView } from '../../core/seal-view.ts';
import { badRequest } from '../../framework/errors.ts';
import { bool, describe, string } from '../../framework/kinds/index.ts';
import { status } from '../status.ts';

/** Bytes of a share: of the key itself where there is one, else of one point of its split. */
const SHARE_BYTES: ReadonlySet<number> = new Set([32, 33]);

/** The barrier paces it: whoever floods it waits (known-attacks I1). */
export const unseal = status(
  'write',
  'unseal',
  {
    summary: 'Give one share of the key; the last one needed opens the server',
    params: {
      key: describe(string(''), 'one share, in hex or base64'),
      reset: describe(bool(false), 'throw the shares away that were given so far'),
      migrate: describe(bool(false), 'not offered'),
    },
    answer: SEAL_SCHEMA,
  },
  async ({ key, reset, migrate }, { service }) => {
    const { barrier } = service;
    if (migrate) throw badRequest('migrate: is not offered: the seal of a server does not change');
    if (reset) {
      if (!barrier.sealed) throw badRequest('reset: the server is not sealed');
      await barrier.reset();
      return { data: await sealView(service, await barrier.status()) };
    }
    if (key === '') throw badRequest('key: is required: give a share in hex or base64, or reset: true');
    const share = decodeShare(key);
    try {
      const { sealed } = barrier;
      const status = await barrier.submit(share);
      if (sealed && !status.sealed) await barrier.transact(mountMissing);
      return { data: await sealView(service, status) };
    } finally {
      share.fill(0);
    }
  },
);

/** Hex where that gives a share's length, else base64 of the standard alphabet in its one spelling. 400 for neither. */
function decodeShare(text: string): Buffer {
  const fromHex = Buffer.from(text, 'hex');
  if (fromHex.length * 2 === text.length && SHARE_BYTES.has(fromHex.length)) return fromHex;
  const fromBase64 = Buffer.from(text, 'base64');
  if (fromBase64.toString('base64') === text) return fromBase64;
  throw badRequest('key: must be a share in hex or base64');
}
