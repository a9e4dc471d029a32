/** Maximum characters of calldata, and of any other member, that a server tries itself. */
const BRIEF_LENGTH = 8_192
/** 0x and a selector. */
const SELECTOR_LENGTH = 10

/** One function of one contract, called without overrides and lists; undefined for other calls. */
export function briefKind([call, , overrides]: readonly unknown[]): string | undefined {
  if (overrides != null || typeof call !== 'object' || call === null) return undefined
  const isShort = Object.values(call).every((member) =>
    typeof member === 'string'
      ? member.length <= BRIEF_LENGTH
      : typeof member !== 'object' || member === null,
  )
  if (!isShort) return undefined
  const { to, input, data } = call as Readonly<Record<string, unknown>>
  return `${to} ${String(input ?? data).slice(0, SELECTOR_LENGTH)}`
}
