import { RecentMap } from '#jsonrpc/limits/recent-map.ts'
import type { Clock } from '#platform/clock.ts'
import { ipBucket } from '#types/ip.ts'

const MINUTE_MS = 60_000
/** A caller with more addresses cannot be limited by address. */
const ADDRESSES_MAX = 10_000

export type LoginAdmission =
  | { readonly ok: true }
  | { readonly ok: false; readonly retryAfterSeconds: number }

/** Servers ask main, which counts for all of them. */
export type AdmitLogin = (remoteAddress: string) => Promise<LoginAdmission>

/** A token bucket per address, owned by main. 0 means no limit. Refused attempts are free. */
export function createLoginLimit(
  clock: Pick<Clock, 'monotonicMs'>,
  attemptsPerMinute: number,
  addressesMax: number = ADDRESSES_MAX,
): { admit(remoteAddress: string): LoginAdmission } {
  if (attemptsPerMinute === 0) return { admit: () => ({ ok: true }) }
  const refillMs = MINUTE_MS / attemptsPerMinute
  /** When the bucket of an address is full again; this one number is its complete state. */
  const fullAtMs = new RecentMap<string, number>(addressesMax)
  return {
    admit(remoteAddress) {
      const key = ipBucket(remoteAddress)
      const nowMs = clock.monotonicMs()
      const nextFullAtMs = Math.max(fullAtMs.get(key) ?? 0, nowMs) + refillMs
      const waitMs = nextFullAtMs - nowMs - MINUTE_MS
      // Rounding: a minute divided by 7 and added 7 times is not exactly a minute.
      if (waitMs > 1e-3) return { ok: false, retryAfterSeconds: Math.ceil(waitMs / 1_000) }
      fullAtMs.set(key, nextFullAtMs)
      return { ok: true }
    },
  }
}
