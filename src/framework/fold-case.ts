/**
 * A name without its letter case, character by character, so that it does not depend on what stands beside it. No
 * letter from beyond ASCII becomes one of ASCII: the Kelvin sign is no k, or who may choose it would be somebody else.
 */
export function foldCase(name: string): string {
  if (ASCII.test(name)) return name.toLowerCase();
  let folded = '';
  for (const character of name) {
    const lower = character.toLowerCase();
    folded += ASCII.test(character) || !SOME_ASCII.test(lower) ? lower : character;
  }
  return folded;
}

const ASCII = /^[\0-\x7f]*$/;
const SOME_ASCII = /[\0-\x7f]/;
