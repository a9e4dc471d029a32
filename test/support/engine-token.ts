import { createHmac } from 'node:crypto'

/** A token for the Engine API: HS256 with the secret in hex, issued at a time in seconds. */
export function engineToken(secret: string, iat = Math.floor(Date.now() / 1_000)): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const input = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ iat })}`
  return `${input}.${createHmac('sha256', Buffer.from(secret, 'hex')).update(input).digest('base64url')}`
}
