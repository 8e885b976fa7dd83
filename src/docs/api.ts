import type { Kind, Schema } from '../framework/kinds/index.ts';
import { forms } from '../framework/pattern.ts';
import { METHODS, whoMayCall } from './capability.ts';
import { cell, table } from './markdown.ts';
import { type Documented, type Section, sections } from './sections.ts';

const HEAD = `# API reference

Made from the declarations of the endpoints by \`npm run docs\`: not edited by hand.

What holds for all of them (tokens, headers, the envelope, errors, lists, lenient scalars) is told once, in the
[user guide](user-guide.md). In a path, \`:name\` is one segment and \`:path\` any number of them. \`PUT\` is the same as
\`POST\`, \`GET …?list=true\` the same as \`LIST\`, \`GET …?scan=true\` as \`SCAN\`. Parameters of a \`GET\`, \`LIST\`,
\`SCAN\` or \`DELETE\` stand in the query, those of a \`POST\` or \`PATCH\` in the JSON body; the column "in" says so. The
right in the line below an address is what a policy must grant on the path.
`;

/** The whole of `docs/api.md`. */
export function apiReference(): string {
  return [HEAD, ...sections().map(sectionText)].join('\n');
}

const sectionText = ({ title, about, prefix, endpoints }: Section): string =>
  [`## ${title}\n`, `${about}\n`, ...endpoints.map((endpoint) => endpointText(prefix, endpoint))].join('\n');

function endpointText(prefix: string, endpoint: Documented): string {
  const { verb, path, summary, description, params } = endpoint;
  const rows = Object.entries(params).map(([name, kind]) => parameterRow(name, kind, placeOf(name, endpoint)));
  const parts = [
    `### \`${METHODS[verb]} /v1/${prefix}${path}\`\n`,
    `${summary}.${description === undefined ? '' : ` ${description}`}\n`,
    `Right: ${whoMayCall(endpoint)}. ${answerText(endpoint)}\n`,
    ...(rows.length === 0 ? [] : [table(['parameter', 'in', 'type', 'default', 'what it is'], rows)]),
  ];
  return parts.join('\n');
}

function placeOf(name: string, { path, verb, params }: Documented): string {
  const inPath = forms(path).some((steps) => steps.some((step) => step.kind !== 'literal' && step.name === name));
  if (inPath) return 'path';
  if (params[name]?.whole === true) return 'the whole body';
  return verb === 'write' || verb === 'patch' ? 'body' : 'query';
}

function parameterRow(name: string, { schema, required }: Kind<unknown>, place: string): readonly string[] {
  const fallback = schema.default === undefined ? '' : `\`${JSON.stringify(schema.default)}\``;
  const shown = required && place !== 'path' ? 'required' : fallback;
  return [`\`${name}\``, place, typeOf(schema), shown, cell(schema.description ?? '')];
}

/** A schema in words. */
export function typeOf(schema: Schema): string {
  const bounds = boundsOf(schema);
  const word = schema.enum?.map((one) => `\`${JSON.stringify(one)}\``).join(', ') ?? plainType(schema);
  return `${word}${bounds}${schema.nullable === true ? ', or null' : ''}`;
}

function plainType({ type, format, items, additionalProperties }: Schema): string {
  if (format === 'duration') return 'duration';
  if (format === 'date-time') return 'time (RFC 3339)';
  if (type === 'array') return items === undefined ? 'list' : `list of ${typeOf(items)}`;
  if (type === 'object' && typeof additionalProperties === 'object') return `map of ${typeOf(additionalProperties)}`;
  return type ?? 'any JSON';
}

function boundsOf({ minimum, maximum }: Schema): string {
  if (minimum !== undefined && maximum !== undefined) return `, ${minimum} to ${maximum}`;
  if (minimum !== undefined) return `, at least ${minimum}`;
  return maximum === undefined ? '' : `, at most ${maximum}`;
}

const SHAPES: Readonly<Record<Documented['shape'], string>> = {
  envelope: 'in `data`',
  flat: 'in `data`, and at the top level',
  bare: 'at the top level, without an envelope',
  text: 'as plain text',
  wrapped: 'a wrapping token, in `wrap_info`',
  verbatim: 'the wrapped one as it stood',
};

function answerText({ verb, answer, shape }: Documented): string {
  const declared = Object.entries(answer);
  const members =
    declared.length === 0 && (verb === 'list' || verb === 'scan') ? [['keys', LISTED] as const] : declared;
  if (members.length === 0) {
    // What is declared of an answer are members of known names; others may have names that users chose.
    const always = verb === 'read' || shape !== 'envelope';
    return always ? `Answer: ${SHAPES[shape]}.` : 'Answer: 204, or 200 where there is something to tell.';
  }
  const shown = members.map(([name, schema]) => `\`${name}\` (${memberText(schema)})`);
  return `Answer, ${SHAPES[shape]}: ${shown.join(', ')}.`;
}

const LISTED: Schema = { type: 'array', items: { type: 'string' } };

const memberText = (schema: Schema): string =>
  schema.description === undefined ? typeOf(schema) : `${typeOf(schema)}: ${schema.description}`;
