export { uuidOf } from '../framework/uuid.ts';
