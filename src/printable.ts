/** Control and format characters, line separators, and marks that turn the direction of text. */
const ACTIVE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Text that neither a terminal nor a reader of lines acts upon: such characters become `\u001b` and the like. */
export const printable = (text: string): string => text.replace(ACTIVE, escapeUnits);

function escapeUnits(character: string): string {
  const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
