/** JSON kept as text: what an engine needs of it. */
export { items, jsonString, members, requireUnicode, scanBody, scanJson, stringValue } from './json.ts';
export { mergePatch } from './merge-patch.ts';
export { maxDepth, maxValues } from './scan.ts';
export type { Json, JsonKind } from './slice.ts';
export { subkeys } from './subkeys.ts';
