import { usageFault } from '#config/faults.ts'
import { type Kind, listOf } from '#config/kinds.ts'
import { parseIpv4, parseIpv6 } from '#types/ip.ts'
import { addressKey } from './address-key.ts'
import { LIMITED, type Limited } from './shared-accounts.ts'

/** How much of what; undefined: as much as wanted. */
export type UserAllowance = Readonly<Partial<Record<Limited, number>>>

/** Plain data, because it is cloned to threads. */
export interface UserLimits {
  /** Of everyone that has none of its own. */
  readonly each: UserAllowance
  readonly users: ReadonlyMap<string, UserAllowance>
  /** By what stands for an address. */
  readonly addresses: ReadonlyMap<string, UserAllowance>
}

/** One entry of the option. */
export interface UserLimit {
  /** A user, or an address; undefined: everyone. */
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
        `'${text}' is no limit; write requests=6000 or engine-seconds=20 for everyone, alice:requests=60000 for the user alice, 10.0.0.7:requests=600 for an address`,
      )
    }
    return { who, limited: limited as Limited, perMinute: Number(perMinute) }
  },
  format: ({ who, limited, perMinute }) => `${who === undefined ? '' : `${who}:`}${limited}=${perMinute}`,
  list: false,
  bare: undefined,
}

export const userLimitList: Kind<readonly UserLimit[]> = listOf(entry, (entries) => {
  const names = entries.map(({ who, limited }) => `${who ?? ''}:${limited}`)
  const twice = entries.find((_, index) => names.indexOf(names[index]!) !== index)
  if (twice !== undefined) throw usageFault(`'${entry.format(twice)}' is the second of its kind`)
  return entries
})

/** undefined: nobody is limited, and nothing is counted. */
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
    if (parseIpv4(who) === null && parseIpv6(who) === null) users.set(who, own)
    else addresses.set(addressKey(who), own)
  }
  return { each, users, addresses }
}

/** What an entry leaves open is that of everyone; 0 is no limit. */
function allowanceOf(entries: readonly UserLimit[], rest: UserAllowance): UserAllowance {
  const given = new Map(entries.map(({ limited, perMinute }) => [limited, perMinute]))
  const all = (Object.keys(LIMITED) as Limited[]).map((limited) => [
    limited,
    given.get(limited) ?? rest[limited],
  ])
  return Object.fromEntries(all.filter(([, perMinute]) => perMinute !== undefined && perMinute !== 0))
}
