import type { SealedTransaction } from '../../../barrier/index.ts';
import { noContent } from '../../../framework/answer.ts';
import { badRequest } from '../../../framework/errors.ts';
import { describe, stringList } from '../../../framework/kinds/index.ts';
import { write } from '../../../sys/context.ts';
import { findEntities } from '../../entity.ts';
import { removalCost, removeEntity } from '../../entity-changes.ts';

const MAX_IDS = 10_000;
/** Entities read by one transaction, and records that it deletes. */
const BATCH = 200;
const MAX_RECORDS = 600;

export const batchDelete = write(
  'entity/batch-delete',
  {
    summary: 'Delete many entities; ids that there are not are passed over',
    description: 'What is too much for one transaction follows before the answer: after an error, send it again.',
    params: { entity_ids: describe(stringList([]), `ids of the entities, at most ${MAX_IDS}`) },
  },
  async (values, { tx, service, after }) => {
    const ids = [...new Set(values.entity_ids)];
    if (ids.length === 0) throw badRequest('entity_ids: is required: give at least one id');
    if (ids.length > MAX_IDS) throw badRequest(`entity_ids: must have at most ${MAX_IDS} elements`);
    const rest = await removeSome(tx, ids);
    after(async () => {
      for (let left = rest; left.length > 0; ) left = await service.barrier.transact((next) => removeSome(next, left));
    });
    return noContent;
  },
);

/** Removes the first of the entities, and gives the ids that are left. */
async function removeSome(tx: SealedTransaction, ids: readonly string[]): Promise<readonly string[]> {
  const batch = ids.slice(0, BATCH);
  let records = 0;
  const left: string[] = [];
  for (const entity of await findEntities(tx, batch)) {
    if (records > 0 && records + removalCost(entity) > MAX_RECORDS) {
      left.push(entity.id);
      continue;
    }
    records += removalCost(entity);
    removeEntity(tx, entity);
  }
  return [...left, ...ids.slice(BATCH)];
}
