import { Secret } from '#platform/secret.ts'
import { type Address, parseAddress } from '#types/address.ts'
import { type Hash, parseHash } from '#types/hash.ts'
import { usageFault } from './faults.ts'

/** The type of an option's value. Every source (command line, environment, TOML) provides text. */
export interface Kind<T> {
  readonly label: string
  /** Throws a usage fault whose sentence completes "Invalid value for option '--x': …". */
  parse(text: string): T
  format(value: T): string
  /** If true, the option may be given several times and the values are joined. */
  readonly list: boolean
  /** The text of the bare flag, for options that need no value. */
  readonly bare: string | undefined
}

function kind<T>(
  label: string,
  parse: (text: string) => T,
  more: Partial<Pick<Kind<T>, 'format' | 'list' | 'bare'>> = {},
): Kind<T> {
  return { label, parse, format: more.format ?? String, list: more.list ?? false, bare: more.bare }
}

function parseBoolean(text: string): boolean {
  const word = text.trim().toLowerCase()
  if (word !== 'true' && word !== 'false') throw usageFault(`'${text}' is not a boolean, give true or false`)
  return word === 'true'
}

/** A switch: the bare flag means true. */
export const boolean: Kind<boolean> = kind('BOOLEAN', parseBoolean, { bare: 'true' })

/** A boolean that Besu wants spelled out: `--p2p-enabled=false`. */
export const explicitBoolean: Kind<boolean> = kind('BOOLEAN', parseBoolean)

export interface IntegerRange {
  readonly min?: number
  readonly max?: number
}

const INT_MAX = 2 ** 31 - 1

export function integer({ min = -INT_MAX - 1, max = INT_MAX }: IntegerRange = {}): Kind<number> {
  return kind('INTEGER', (text) => {
    const value = /^[+-]?\d+$/.test(text.trim()) ? Number(text) : Number.NaN
    if (!Number.isSafeInteger(value)) throw usageFault(`'${text}' is not an int`)
    if (value < min || value > max) throw usageFault(`'${text}' is not between ${min} and ${max}`)
    return value
  })
}

export const long: Kind<number> = {
  ...integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }),
  label: 'LONG',
}

export function port(): Kind<number> {
  return kind('PORT', (text) => {
    const value = integer().parse(text)
    if (value < 0 || value > 65535) throw usageFault(`port out of range: ${text}, a port is 0 to 65535`)
    return value
  })
}

export const decimal: Kind<number> = kind('NUMBER', (text) => {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) throw usageFault(`'${text}' is not a number`)
  return value
})

/** A percentage, with or without the sign. */
export const percentage: Kind<number> = kind('PERCENTAGE', (text) => {
  const value = Number(text.trim().replace(/%$/, ''))
  if (!Number.isInteger(value) || value < 0 || value > 100) {
    throw usageFault(`'${text}' is not a percentage, give a whole number from 0 to 100`)
  }
  return value
})

/** An unsigned integer of any size in decimal digits: wei, network ids. */
export const unsigned: Kind<bigint> = kind('WEI', (text) => {
  if (!/^\d+$/.test(text.trim())) throw usageFault(`cannot convert '${text}' to an unsigned decimal number`)
  return BigInt(text.trim())
})

export const text: Kind<string> = kind('STRING', (value) => value)

/** An optional text: the bare flag means the empty one. */
export const optionalText: Kind<string> = kind('STRING', (value) => value, { bare: '' })

/** A password. It is never shown, not even in the overview of the options in force. */
export const secretText: Kind<Secret<string>> = kind('PASSWORD', (value) => new Secret(value))

export const address: Kind<Address> = kind('ADDRESS', (value) => {
  try {
    return parseAddress(value.trim())
  } catch (cause) {
    throw usageFault(`'${value}' is not an address: write 0x and 40 hex digits`, { cause })
  }
})

export const hash: Kind<Hash> = kind('HASH', (value) => {
  try {
    return parseHash(value)
  } catch {
    throw usageFault(`'${value}' is not a hash: 0x and 64 hex digits`)
  }
})

/** An HTTP URL. The overview and messages show it, so it must not contain a password. Requests append to its path. */
export const httpUrl: Kind<string> = kind('URL', (value) => {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw usageFault(`'${withoutUser(value)}' is not a URL that begins with http:// or https://`)
  }
  if (url.username !== '' || url.password !== '') {
    throw usageFault('the URL must not contain a user or password')
  }
  if (url.search !== '' || url.hash !== '') throw usageFault(`'${value}' must end with its path`)
  return url.href.replace(/\/+$/, '')
})

function withoutUser(text: string): string {
  return text.replace(/[^/]*@/, '[hidden]@')
}

/** A path on this machine, not resolved here. */
export const path: Kind<string> = kind('FILE', (value) => {
  if (value === '') throw usageFault('the path is empty')
  return value
})

/** A path relative to the data directory, not resolved here. */
export const pathInData: Kind<string> = kind('FILE', path.parse)

/** One of a fixed set of words, in any letter case; the value is the spelling of the set. */
export function oneOf<const Word extends string>(
  words: readonly Word[],
  synonyms: Readonly<Record<string, Word>> = {},
): Kind<Word> {
  const byUpperCase = new Map<string, Word>()
  for (const word of words) byUpperCase.set(word.toUpperCase(), word)
  for (const [synonym, word] of Object.entries(synonyms)) byUpperCase.set(synonym.toUpperCase(), word)
  return kind(words.join('|'), (value) => {
    const word = byUpperCase.get(value.trim().toUpperCase())
    if (word === undefined) {
      throw usageFault(`expected one of [${words.join(', ')}] (case-insensitive) but was '${value}'`)
    }
    return word
  })
}

/** Several values, separated by commas, or the option given several times. */
export function listOf<T>(
  item: Kind<T>,
  check: (values: readonly T[]) => readonly T[] = (values) => values,
): Kind<readonly T[]> {
  return kind(
    `${item.label},…`,
    (value) => {
      const parts = value.split(',').map((part) => part.trim())
      return check(parts.filter((part) => part !== '').map((part) => item.parse(part)))
    },
    { format: (values) => values.map((each) => item.format(each)).join(','), list: true },
  )
}

/** `name=value` pairs, separated by commas. */
export const pairs: Kind<ReadonlyMap<string, string>> = kind(
  'NAME=VALUE,…',
  (value) => {
    const entries = value.split(',').filter((part) => part.trim() !== '')
    return new Map(
      entries.map((entry) => {
        const [name, ...rest] = entry.split('=')
        if (!name || rest.length === 0) throw usageFault(`'${entry}' is not of the form NAME=VALUE`)
        return [name.trim(), rest.join('=').trim()]
      }),
    )
  },
  { format: (map) => [...map].map(([name, value]) => `${name}=${value}`).join(','), list: true },
)
