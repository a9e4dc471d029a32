import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'

/** A token in a recorded header or query, intact or damaged. */
const TOKEN = /[\w-]+\.eyJ[\w-]+(?:\.[\w-]*=*)*|eyJ[\w-]+\.[\w-]*(?:\.[\w-]*=*)*/

/** Replaces the first token in a text. */
export function replaceToken(text: string, replacement: (token: string) => string): string {
  return text.replace(TOKEN, replacement)
}

export function decodeClaims(segment: string | undefined): Record<string, unknown> | undefined {
  try {
    const claims = JSON.parse(Buffer.from(segment ?? '', 'base64url').toString())
    return typeof claims === 'object' && claims !== null && !Array.isArray(claims) ? claims : undefined
  } catch {
    return undefined
  }
}

export function encodeSegment(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** Times in these years are moved to the present; 0 and milliseconds are deliberate mistakes and stay. */
const SECONDS_MIN = 1_700_000_000
const SECONDS_MAX = 2_000_000_000

/** The same payload with current times. Anything but a JSON object stays unchanged. */
export function shiftPayload(
  segment: string,
  seconds: number,
  changeGrant: (grant: string) => string = (grant) => grant,
): string {
  const claims = decodeClaims(segment)
  if (claims === undefined) return segment
  for (const name of ['exp', 'nbf', 'iat']) {
    const value = claims[name]
    const time = Number(value)
    if (!(time > SECONDS_MIN && time < SECONDS_MAX)) continue
    claims[name] = typeof value === 'string' ? String(time + seconds) : time + seconds
  }
  if (Array.isArray(claims.permissions)) {
    claims.permissions = claims.permissions.map((grant) =>
      typeof grant === 'string' ? changeGrant(grant) : grant,
    )
  }
  return encodeSegment(claims)
}

export interface SigningKey {
  /** PEM files of the recording. */
  readonly publicPem: string
  readonly privatePem: string
}

type DsaEncoding = 'ieee-p1363' | 'der'
const ENCODINGS: readonly DsaEncoding[] = ['ieee-p1363', 'der']
const HASH = 'sha256'

let strangers: Map<string, KeyObject> | undefined

/** An untrusted key. */
export function strangerKey(type: 'rsa' | 'ec'): KeyObject {
  strangers ??= new Map()
  const known = strangers.get(type)
  if (known !== undefined) return known
  const { privateKey } =
    type === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  strangers.set(type, privateKey)
  return privateKey
}

/**
 * Signs the new input as the recorded one was signed, which is found by trying: with the key, in one of two forms;
 * with the public key as a secret; under another header; or with an untrusted key.
 */
export function signAlike(key: SigningKey, recorded: readonly string[], input: string): string {
  const [header, payload, signature = ''] = recorded
  const bytes = Buffer.from(signature, 'base64url')
  const publicKey = createPublicKey(key.publicPem)
  const privateKey = createPrivateKey(key.privatePem)
  const isRsa = publicKey.asymmetricKeyType === 'rsa'
  const isSigned = (text: string, dsaEncoding: DsaEncoding): boolean =>
    verify(HASH, Buffer.from(text), { key: publicKey, dsaEncoding }, bytes)
  const signed = (text: string, signer: KeyObject, dsaEncoding: DsaEncoding = 'ieee-p1363'): string =>
    sign(HASH, Buffer.from(text), { key: signer, dsaEncoding }).toString('base64url')
  if (signature === '') return ''
  const recordedInput = `${header}.${payload}`
  const encoding = ENCODINGS.find((candidate) => isSigned(recordedInput, candidate))
  if (encoding !== undefined) return signed(input, privateKey, encoding)
  if (hmac(key.publicPem, recordedInput) === signature) return hmac(key.publicPem, input)
  const usual = encodeSegment({ alg: isRsa ? 'RS256' : 'ES256', typ: 'JWT' })
  if (isSigned(`${usual}.${payload}`, 'ieee-p1363'))
    return signed(`${usual}.${input.split('.')[1]}`, privateKey)
  return signed(input, strangerKey(isRsa ? 'rsa' : 'ec'))
}

export function hmac(secret: string, input: string): string {
  return createHmac(HASH, secret).update(input).digest('base64url')
}
