import { sign } from 'node:crypto'
import type { RecordedEntry } from './entry.ts'
import {
  decodeClaims,
  hmac,
  replaceToken,
  type SigningKey,
  shiftPayload,
  signAlike,
  strangerKey,
} from './token-text.ts'

/** Translates a recorded token to a current one with the same meaning for this node. */
export type TranslateToken = (recorded: string) => string

export function withTokens(entry: RecordedEntry, translate: TranslateToken): RecordedEntry {
  const { headers = {}, path } = entry
  const authorization = headers.Authorization
  return {
    ...entry,
    ...(path !== undefined && { path: replaceToken(path, translate) }),
    ...(authorization !== undefined && {
      headers: { ...headers, Authorization: replaceToken(authorization, translate) },
    }),
  }
}

/** The time at which a file's tokens were issued: the earliest `iat`, or an hour before they expire. */
export function recordedSeconds(entries: readonly RecordedEntry[]): number {
  const times: number[] = []
  for (const { headers } of entries) {
    const claims = decodeClaims(headers?.Authorization?.split('.')[1])
    if (typeof claims?.iat === 'number') times.push(claims.iat)
  }
  const [first] = entries
  const { exp } = decodeClaims(first?.headers?.Authorization?.split('.')[1]) ?? {}
  return times.length > 0 ? Math.min(...times) : Number(exp) - HOUR_SECONDS
}

const HOUR_SECONDS = 3_600

/** Public-key mode: the recording's private keys sign the same claims again, moved to the present. */
export function reissuing(
  key: SigningKey,
  shiftSeconds: number,
  changeGrant?: (grant: string) => string,
): TranslateToken {
  return (recorded) => {
    const segments = recorded.split('.')
    const [header, payload = '', signature, ...more] = segments
    const input = `${header}.${shiftPayload(payload, shiftSeconds, changeGrant)}`
    if (signature === undefined) return input
    const padding = signature.endsWith('=') ? '=' : ''
    return [`${input}.${signAlike(key, segments, input)}${padding}`, ...more].join('.')
  }
}

/** Our node's token for each token of the recorded logins. */
export type IssuedTokens = ReadonlyMap<string, string>

/** Credentials mode: uses the tokens of our own logins, damaged like the recorded ones. */
export function substituting(issued: IssuedTokens, shiftSeconds: number): TranslateToken {
  return (recorded) => {
    const whole = issued.get(recorded)
    if (whole !== undefined) return whole
    const [header = '', payload = '', signature = ''] = recorded.split('.')
    for (const [theirs, ours] of issued) {
      if (theirs.startsWith(recorded)) return ours.slice(0, recorded.length - theirs.length)
      // Another payload with an issued signature.
      if (signature !== '' && theirs.endsWith(`.${signature}`)) {
        const [ourHeader, , ourSignature] = ours.split('.')
        return `${ourHeader}.${shiftPayload(payload, shiftSeconds)}.${ourSignature}`
      }
    }
    const input = `${header}.${shiftPayload(payload, shiftSeconds)}`
    return `${input}.${strangersSignature(header, input)}`
  }
}

function strangersSignature(header: string, input: string): string {
  const { alg } = decodeClaims(header) ?? {}
  if (alg === 'none') return ''
  if (alg === 'HS256') return hmac('secret', input)
  return sign('sha256', Buffer.from(input), strangerKey('rsa')).toString('base64url')
}
