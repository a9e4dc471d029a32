import type { Clock } from '#platform/clock.ts'
import { ipBucket } from '#types/ip.ts'
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
      const key = ipBucket(remoteAddress)
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
