/** Numbers with their units, and short forms of long values. */

const WEI_PER_ETHER = 10n ** 18n
const WEI_PER_GWEI = 10n ** 9n
const group = new Intl.NumberFormat('en-US')

export const toNumber = (quantity: string): number => Number(BigInt(quantity))

export const count = (value: number | bigint): string => group.format(value)

/** `1 peer`, `2 peers`. */
export const plural = (value: number, noun: string, nouns = `${noun}s`): string =>
  `${count(value)} ${value === 1 ? noun : nouns}`

export function duration(ms: number): string {
  const size = Math.abs(ms)
  const sign = ms < 0 ? '−' : ''
  if (size < 1_000) return `${sign}${Math.round(size)} ms`
  if (size < 60_000) return `${sign}${(size / 1_000).toFixed(size < 10_000 ? 1 : 0)} s`
  if (size < 3_600_000)
    return `${sign}${Math.floor(size / 60_000)} min ${Math.floor((size % 60_000) / 1_000)} s`
  if (size < 86_400_000)
    return `${sign}${Math.floor(size / 3_600_000)} h ${Math.floor((size % 3_600_000) / 60_000)} min`
  return `${sign}${count(Math.floor(size / 86_400_000))} d ${Math.floor((size % 86_400_000) / 3_600_000)} h`
}

export const ago = (ms: number): string => (ms < 1_000 ? 'now' : `${wholeSeconds(ms)} ago`)

/** A duration without tenths, for ages that change every second. */
export const wholeSeconds = (ms: number): string =>
  ms < 60_000 ? `${Math.floor(ms / 1_000)} s` : duration(ms)

/** A clock offset with its sign. */
export const offset = (ms: number): string =>
  Math.abs(ms) < 50 ? '0 ms' : `${ms > 0 ? '+' : ''}${duration(ms)}`

/** `digits` after the point; if undefined, as few as a reader needs. */
export function bytes(value: number, digits?: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  let [size, at] = [value, 0]
  while (size >= 1_024 && at < units.length - 1) [size, at] = [size / 1_024, at + 1]
  return `${at === 0 ? size : size.toFixed(digits ?? (size < 10 ? 1 : 0))} ${units[at]}`
}

export const gas = (quantity: string): string => `${count(BigInt(quantity))} gas`

/** A part of a total as a percentage. */
export function share(part: number, total: number): string {
  const percent = (100 * part) / Math.max(1, total)
  return percent > 0 && percent < 0.1 ? '< 0.1 %' : `${percent.toFixed(1)} %`
}

export const gasPrice = (quantity: string): string =>
  `${BigInt(quantity) === 0n ? '0 wei' : wei(quantity)} per gas`

export function wei(quantity: string | bigint): string {
  const value = BigInt(quantity)
  if (value === 0n) return '0 ETH'
  if (value < 10n ** 6n) return `${count(value)} wei`
  if (value < 10n ** 14n) return `${decimals(value, WEI_PER_GWEI)} Gwei`
  return `${decimals(value, WEI_PER_ETHER)} ETH`
}

function decimals(value: bigint, unit: bigint): string {
  const rest = ((value % unit) * 10_000n) / unit
  const tail = rest.toString().padStart(4, '0').replace(/0+$/, '')
  return tail === '' ? count(value / unit) : `${count(value / unit)}.${tail}`
}

export const short = (value: string, head = 6, tail = 4): string =>
  value.length <= head + tail + 3 ? value : `${value.slice(0, head)}…${value.slice(-tail)}`

/** A node's public key as digits only: `admin_peers` prefixes it with `0x`, `admin_nodeInfo` does not. */
export const bareId = (id: string): string => id.replace(/^0x/, '').toLowerCase()

/** Sentences of nodes have complete hashes, too long to read. */
export const withShortHashes = (sentence: string): string =>
  unbroken(sentence.replace(/0x[\da-f]{64}/gi, (hash) => short(hash)))

/** A word joiner after the dots keeps a short hash on one line. */
export const unbroken = (sentence: string): string => sentence.replaceAll('…', '…\u2060')

/** `waitingForTime` as words. */
export const inWords = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** `a64ba79b…@127.0.0.1:30303`: the place matters more than the end of the key. */
export function shortEnode(url: string): string {
  const [, id, place] = /^enode:\/\/([\da-f]+)@([^?]+)/i.exec(url) ?? []
  return id === undefined || place === undefined ? short(url, 24) : `${id.slice(0, 8)}…@${place}`
}

export const clockTime = (ms: number): string => new Date(ms).toISOString().slice(11, 23)

export const dateTime = (seconds: number): string =>
  `${new Date(seconds * 1_000).toISOString().slice(0, 19).replace('T', ' ')} UTC`

/** A short fingerprint of JSON whose members may come in any order. */
export function fingerprint(value: unknown): string {
  let hash = 0x811c9dc5
  for (const char of sorted(value)) hash = Math.imul(hash ^ char.codePointAt(0)!, 0x01000193) >>> 0
  return hash.toString(16).padStart(8, '0')
}

function sorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${entries.map(([name, each]) => `${JSON.stringify(name)}:${sorted(each)}`).join()}}`
}
