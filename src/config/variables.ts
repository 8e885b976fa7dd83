import { type Layer, type Table, variableName } from './settings.ts';

/** The environment of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What `KEYHOLD_…` variables say; an empty one says nothing, as compose files write it. */
export function readVariables(environment: Environment, table: Table): Layer {
  const layer = new Map<string, { raw: string; source: string }>();
  for (const [key, setting] of Object.entries(table)) {
    const source = variableName(key, setting);
    const raw = environment[source];
    if (raw !== undefined && raw !== '') layer.set(key, { raw, source });
  }
  return layer;
}

/**
 * `KEYHOLD_…` variables that no table knows. They are worth a warning and no more: orchestrators set some of their own
 * accord (Kubernetes: `<SERVICE>_SERVICE_HOST`, `<SERVICE>_PORT…`).
 */
export function unknownVariables(environment: Environment, tables: readonly Table[]): readonly string[] {
  const known = new Set(
    tables.flatMap((table) => Object.entries(table).map(([key, setting]) => variableName(key, setting))),
  );
  const orchestrated = /^KEYHOLD_(SERVICE_|PORT$|PORT_)/;
  return Object.keys(environment).filter(
    (name) => name.startsWith('KEYHOLD_') && !known.has(name) && !orchestrated.test(name),
  );
}
