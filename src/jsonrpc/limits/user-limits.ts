import { usageFault } from '#config/faults.ts'
import { type Kind, listOf } from '#config/kinds.ts'
import { ipBucket, parseIpv4, parseIpv6 } from '#types/ip.ts'
import { LIMITED, type Limited } from './shared-buckets.ts'

/** A missing limit means no limit. */
export type UserAllowance = Readonly<Partial<Record<Limited, number>>>

/** Plain data, because it is cloned to threads. */
export interface UserLimits {
  /** The limits of callers without their own. */
  readonly each: UserAllowance
  readonly users: ReadonlyMap<string, UserAllowance>
  /** By the bucket of an address. */
  readonly addresses: ReadonlyMap<string, UserAllowance>
}

export interface UserLimit {
  /** A user or an address; undefined for everyone. */
  readonly who: string | undefined
  readonly limited: Limited
  readonly perMinute: number
}

const ENTRY = /^(?:(.+):)?(requests|engine-seconds)=(\d{1,12})$/

const entry: Kind<UserLimit> = {
  label: '[USER|ADDRESS:](requests|engine-seconds)=PER_MINUTE',
  parse: (text) => {
    const [, who, limited, perMinute] = ENTRY.exec(text) ?? []
    if (limited === undefined) {
      throw usageFault(
        `'${text}' is not a limit; write requests=6000 or engine-seconds=20 for everyone, alice:requests=60000 for the user alice, 10.0.0.7:requests=600 for an address`,
      )
    }
    if (who !== undefined && isMistakenAddress(who)) {
      throw usageFault(
        `'${text}' limits no one: '${who}' is not the address of a client. Write one address without brackets, port or network length, e.g. 10.0.0.7:requests=600`,
      )
    }
    return { who, limited: limited as Limited, perMinute: Number(perMinute) }
  },
  format: ({ who, limited, perMinute }) => `${who === undefined ? '' : `${who}:`}${limited}=${perMinute}`,
  list: false,
  bare: undefined,
}

export const userLimitList: Kind<readonly UserLimit[]> = listOf(entry, (entries) => {
  const names = entries.map(({ who = '', limited }) => `${isAddress(who) ? ipBucket(who) : who}:${limited}`)
  const twice = entries.find((_, index) => names.indexOf(names[index]!) !== index)
  if (twice !== undefined) throw usageFault(`'${entry.format(twice)}' is the second of its kind`)
  return entries
})

/** Users with their own limits. */
export function limitedUsers(entries: readonly UserLimit[]): readonly string[] {
  const names = entries.map(({ who }) => who).filter((who) => who !== undefined)
  return [...new Set(names)].filter((who) => !isAddress(who))
}

function isAddress(who: string): boolean {
  return parseIpv4(who) !== null || parseIpv6(who) !== null
}

/** Networks, addresses with a port, a zone or brackets, and numbers out of range. */
const ADDRESS_LIKE = /^\[|^\d{1,4}(?:\.\d{1,4}){1,3}(?:[:/%].*)?$|^[\da-f]*(?::[\da-f.]*){2,}(?:[/%].*)?$/i
/** Servers listen on these; no client has them. */
const UNSPECIFIED = new Set(['0.0.0.0', '::'])

function isMistakenAddress(who: string): boolean {
  if (!isAddress(who)) return ADDRESS_LIKE.test(who)
  return UNSPECIFIED.has(parseIpv4(who) ?? parseIpv6(who) ?? '')
}

/** Undefined if there are no limits. */
export function readUserLimits(entries: readonly UserLimit[]): UserLimits | undefined {
  if (!entries.some(({ perMinute }) => perMinute > 0)) return undefined
  const each = allowanceOf(
    entries.filter(({ who }) => who === undefined),
    {},
  )
  const users = new Map<string, UserAllowance>()
  const addresses = new Map<string, UserAllowance>()
  for (const { who } of entries) {
    if (who === undefined) continue
    const own = allowanceOf(
      entries.filter((other) => other.who === who),
      each,
    )
    if (isAddress(who)) addresses.set(ipBucket(who), own)
    else users.set(who, own)
  }
  return { each, users, addresses }
}

/** Limits that the entries leave open come from `rest`; 0 means no limit. */
function allowanceOf(entries: readonly UserLimit[], rest: UserAllowance): UserAllowance {
  const given = new Map(entries.map(({ limited, perMinute }) => [limited, perMinute]))
  const all = (Object.keys(LIMITED) as Limited[]).map((limited) => [
    limited,
    given.get(limited) ?? rest[limited],
  ])
  return Object.fromEntries(all.filter(([, perMinute]) => perMinute !== undefined && perMinute !== 0))
}
