import { withChecksum } from '#types/address.ts'
import { formatData } from '#types/hex.ts'
import { printableLine } from '#types/printable.ts'
import type { AbiValue, NamedAbiValue } from './decode-abi.ts'

/** Longer values are cut: a line of a call tree should stay readable. */
const MAX_TEXT_CHARACTERS = 200
const MAX_SHOWN_BYTES = 64
const MAX_SHOWN_ITEMS = 16

export function formatAbiFields(values: readonly NamedAbiValue[]): string {
  return values
    .map(({ name, value }) => (name === '' ? formatAbi(value) : `${name}: ${formatAbi(value)}`))
    .join(', ')
}

function formatAbi(value: AbiValue): string {
  if (typeof value === 'string') return quotedText(value)
  if (typeof value !== 'object') return String(value)
  if (value instanceof Uint8Array) return formatBytes(value)
  if ('address' in value) return withChecksum(value.address)
  if ('fields' in value) return `(${formatAbiFields(value.fields)})`
  const shown = value.items.slice(0, MAX_SHOWN_ITEMS).map(formatAbi)
  const more = value.items.length - shown.length
  return `[${shown.join(', ')}${more > 0 ? `, … ${more} more` : ''}]`
}

export function formatBytes(bytes: Uint8Array): string {
  if (bytes.length <= MAX_SHOWN_BYTES) return formatData(bytes)
  return `${formatData(bytes.subarray(0, MAX_SHOWN_BYTES))}… (${bytes.length} bytes)`
}

/** Quotes in the text are escaped, so it cannot pass for another argument. */
export function quotedText(text: string): string {
  return `"${printableLine(text, MAX_TEXT_CHARACTERS).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
