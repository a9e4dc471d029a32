import type { Clock } from '#platform/clock.ts'
import { ipv4InIpv6, parseIpv6 } from '#types/ip.ts'
import { RecentMap } from './recent-map.ts'

const MINUTE_MS = 60_000
/** Whoever has more addresses than this to try from is not stopped by counting addresses. */
const ADDRESSES_MAX = 10_000

export type LoginAdmission =
  | { readonly ok: true }
  | { readonly ok: false; readonly retryAfterSeconds: number }

/** The port through which a server thread asks the main thread, which counts for all of them. */
export type AdmitLogin = (remoteAddress: string) => Promise<LoginAdmission>

export interface LoginLimit {
  admit(remoteAddress: string): LoginAdmission
}

/**
 * A bucket for each address that holds a minute's attempts and refills steadily. Owned by the main thread.
 * `attemptsPerMinute` 0 admits everything. Refused attempts cost nothing: who waits as told is admitted.
 */
export function createLoginLimit(
  clock: Pick<Clock, 'monotonicMs'>,
  attemptsPerMinute: number,
  addressesMax: number = ADDRESSES_MAX,
): LoginLimit {
  if (attemptsPerMinute === 0) return { admit: () => ({ ok: true }) }
  const refillMs = MINUTE_MS / attemptsPerMinute
  /** When the bucket of an address is full again: one number says all about it. */
  const fullAtMs = new RecentMap<string, number>(addressesMax)
  return {
    admit(remoteAddress) {
      const key = limitKey(remoteAddress)
      const nowMs = clock.monotonicMs()
      const nextFullAtMs = Math.max(fullAtMs.get(key) ?? 0, nowMs) + refillMs
      const waitMs = nextFullAtMs - nowMs - MINUTE_MS
      // Sums of fractions: a minute divided by 7 and added 7 times is not exactly a minute.
      if (waitMs > 1e-3) return { ok: false, retryAfterSeconds: Math.ceil(waitMs / 1_000) }
      fullAtMs.set(key, nextFullAtMs)
      return { ok: true }
    },
  }
}

/** One customer is given 2^64 IPv6 addresses: only the network part tells one from another. */
function limitKey(remoteAddress: string): string {
  const [address = ''] = remoteAddress.split('%', 1)
  const ipv4 = ipv4InIpv6(address)
  if (ipv4 !== null) return ipv4
  const ipv6 = parseIpv6(address)
  return ipv6 === null ? remoteAddress : networkPart(ipv6)
}

function networkPart(ipv6: string): string {
  const [head = '', tail] = ipv6.split('::')
  const front = head === '' ? [] : head.split(':')
  const back = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = new Array<string>(8 - front.length - back.length).fill('0')
  return [...front, ...zeros, ...back].slice(0, 4).join(':')
}
