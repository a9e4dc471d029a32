/** Makes external text safe for terminals: a control character could move the cursor and overwrite other lines. */

/** Control and format characters (including bidirectional overrides) and Unicode line ends. */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
const MAX_LINE_CHARACTERS = 500

/** Keeps line feeds and tabs. JSON text stays JSON. */
export function escapeControls(text: string): string {
  return text.replace(CONTROLS, (each) => (each === '\n' || each === '\t' ? each : escaped(each)))
}

/** Returns one line of bounded length. */
export function printableLine(text: string, maxCharacters = MAX_LINE_CHARACTERS): string {
  const shown = text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text
  return shown.replace(CONTROLS, escaped)
}

function escaped(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}
