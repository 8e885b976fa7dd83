import type { Endpoint } from '../framework/endpoint.ts';
import type { SystemWriteContext } from '../sys/context.ts';
import * as batchDelete from './routes/entity/batch-delete.ts';
import * as entityById from './routes/entity/id.ts';
import * as merge from './routes/entity/merge.ts';
import * as entityByName from './routes/entity/name.ts';
import { writeAnyEntity } from './routes/entity.ts';
import * as aliasById from './routes/entity-alias/id.ts';
import { writeAnyAlias } from './routes/entity-alias.ts';
import * as groupById from './routes/group/id.ts';
import * as groupByName from './routes/group/name.ts';
import { writeAnyGroup } from './routes/group.ts';
import * as groupAliasById from './routes/group-alias/id.ts';
import { writeAnyGroupAlias } from './routes/group-alias.ts';
import { lookupEntity } from './routes/lookup/entity.ts';
import { lookupGroup } from './routes/lookup/group.ts';

const files = [entityById, entityByName, merge, batchDelete, aliasById, groupById, groupByName, groupAliasById];

/** What is served under `identity/`: who entities are, what they are called at mounts, and the groups they are in. */
export const identityEndpoints: readonly Endpoint<SystemWriteContext>[] = [
  writeAnyEntity,
  writeAnyAlias,
  writeAnyGroup,
  writeAnyGroupAlias,
  lookupEntity,
  lookupGroup,
  ...files.flatMap((file): readonly Endpoint<SystemWriteContext>[] => Object.values(file)),
];
