/** AWS Signature Version 4 for requests to an S3-compatible store. */

import { createHash, createHmac } from 'node:crypto'

export interface S3Credentials {
  readonly accessKey: string
  readonly secretKey: string
  /** Only temporary credentials have one. */
  readonly sessionToken?: string | undefined
}

export interface UnsignedRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT'
  /** Already encoded: the signature covers exactly the text that is sent. */
  readonly path: string
  /** Sorted by name when signed. */
  readonly query: Readonly<Record<string, string>>
  /** Lower-case names, including `host`. */
  readonly headers: Readonly<Record<string, string>>
  /** SHA-256 of the body as hex. */
  readonly bodyHash: string
}

const ALGORITHM = 'AWS4-HMAC-SHA256'
/** Everything else is sent as percent codes, also characters that encodeURIComponent keeps. */
const RESERVED = /[!'()*]/g

export const EMPTY_BODY_HASH = sha256('')

/** Returns all headers to send. */
export function signRequest(
  { method, path, query, headers, bodyHash }: UnsignedRequest,
  { accessKey, secretKey, sessionToken }: S3Credentials,
  region: string,
  wallMs: number,
): Record<string, string> {
  const time = new Date(wallMs).toISOString().replace(/[-:]|\.\d+/g, '')
  const all: Record<string, string> = {
    ...headers,
    'x-amz-content-sha256': bodyHash,
    'x-amz-date': time,
    ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
  }
  const names = Object.keys(all).sort()
  const canonical = [
    method,
    path,
    encodeQuery(query),
    ...names.map((name) => `${name}:${all[name]!.trim()}`),
    '',
    names.join(';'),
    bodyHash,
  ].join('\n')
  const date = time.slice(0, 8)
  const scope = `${date}/${region}/s3/aws4_request`
  const key = [date, region, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secretKey}`)
  const signature = hmac(key, [ALGORITHM, time, scope, sha256(canonical)].join('\n')).toString('hex')
  const signed = `Credential=${accessKey}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`
  return { ...all, authorization: `${ALGORITHM} ${signed}` }
}

export function encodeQuery(query: Readonly<Record<string, string>>): string {
  const pairs = Object.keys(query).sort()
  return pairs.map((name) => `${encodePart(name)}=${encodePart(query[name]!)}`).join('&')
}

/** Slashes stay. */
export function encodeKey(key: string): string {
  return key.split('/').map(encodePart).join('/')
}

function encodePart(text: string): string {
  return encodeURIComponent(text).replace(
    RESERVED,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
