/**
 * Tokens of every algorithm, valid and forged in every known way, crossed with every kind of grant. This file is data
 * only: matrix.test.ts plays it in process; other tests play the same cases over HTTP and WebSocket, single and in
 * batches. The tokens are signed here with node:crypto, not by the code under test.
 */
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { TokenAlgorithm } from '#jsonrpc/auth/public-key.ts'

/** The method that every case calls. */
export const MATRIX_METHOD = 'net_version'

/** Configuration of a node: a public key file and the algorithm. */
export interface MatrixSetting {
  readonly name: string
  readonly algorithm: TokenAlgorithm
  readonly publicKeyPem: string
  /** The key of the other transport; it signs the cases `token of the other transport`. */
  readonly otherTransportPublicKeyPem: string
}

export interface MatrixCase {
  readonly name: string
  /** Name of the setting that verifies the token. */
  readonly setting: string
  readonly algorithm: TokenAlgorithm
  readonly token: string
  readonly expect: 'allowed' | 'refused'
}

export interface Matrix {
  readonly settings: readonly MatrixSetting[]
  readonly cases: readonly MatrixCase[]
}

interface Setting extends MatrixSetting {
  readonly key: KeyObject
  readonly otherTransportKey: KeyObject
  readonly strangerKey: KeyObject
}

const HOUR_SECONDS = 3_600

const CURVE_OF_SETTING: readonly (readonly [string, TokenAlgorithm, string | null])[] = [
  ['RS256', 'RS256', null],
  ['RS384', 'RS384', null],
  ['RS512', 'RS512', null],
  ['ES256 P-256', 'ES256', 'prime256v1'],
  ['ES256 secp256k1', 'ES256', 'secp256k1'],
  ['ES384', 'ES384', 'secp384r1'],
  ['ES512', 'ES512', 'secp521r1'],
]

const GRANTS: readonly (readonly [string, readonly unknown[], boolean])[] = [
  ['everything', ['*:*'], true],
  ['namespace', ['net:*'], true],
  ['method', ['net:version'], true],
  ['method among others', [1, null, 'eth:*', 'net:version'], true],
  ['other', ['eth:*', 'net:peerCount', 'NET:*', '*:version', 'net:vers*', 'net_version'], false],
  ['none', [], false],
]

type Forge = (setting: Setting, permissions: readonly unknown[], nowSeconds: number) => string

/** Ways to create a token, and whether the token is valid. */
const FORGERIES: readonly (readonly [string, boolean, Forge])[] = [
  ['good', true, signed({})],
  ['good with all times', true, signed({ iat: -10, nbf: -10, exp: HOUR_SECONDS })],
  ['good with a fraction in exp', true, signed({ exp: HOUR_SECONDS + 0.5 })],
  ['expired', false, signed({ exp: -HOUR_SECONDS })],
  ['expires now', false, signed({ exp: 0 })],
  ['not yet valid by nbf', false, signed({ nbf: HOUR_SECONDS / 2 })],
  ['not yet valid by iat', false, signed({ iat: HOUR_SECONDS / 2 })],
  ['no exp', false, (setting, permissions) => encodeSigned(setting, setting.key, { permissions })],
  ['exp text', false, withExp((exp) => String(exp))],
  ['exp null', false, withExp(() => null)],
  ['exp list', false, withExp((exp) => [exp])],
  ['wrong key', false, signed({}, (setting) => setting.strangerKey)],
  ['token of the other transport', false, signed({}, (setting) => setting.otherTransportKey)],
  ['alg none without signature', false, unsigned({ alg: 'none' }, () => '')],
  ['alg none with signature', false, unsigned({ alg: 'none' }, (good) => good.split('.')[2] ?? '')],
  ['HS256 with the public key as secret', false, hmacWithPublicKey],
  ['header of another algorithm', false, (...args) => signed({}, undefined, otherAlgorithm)(...args)],
  ['unknown crit', false, signed({}, undefined, ({ algorithm }) => ({ alg: algorithm, crit: ['x'] }))],
  ['truncated by one character', false, (...args) => signed({})(...args).slice(0, -1)],
  [
    'truncated to half',
    false,
    (...args) => signed({})(...args).replace(/\.[^.]*$/, (end) => end.slice(0, 20)),
  ],
  ['two segments', false, (...args) => signed({})(...args).replace(/\.[^.]*$/, '')],
  ['payload of another token', false, swapPayload],
  ['signature in another form', false, otherSignatureForm],
]

/** `nowSeconds` is the time of the verifying clock; valid tokens live for one hour. */
export function createMatrix(nowSeconds: number): Matrix {
  // RSA keys take long to generate, and one serves every RS algorithm.
  const rsaPairs = generatePairs(() => generateKeyPairSync('rsa', { modulusLength: 2048 }))
  const settings = CURVE_OF_SETTING.map(([name, algorithm, curve]) => {
    const generate = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve })
    return createSetting(name, algorithm, curve === null ? rsaPairs : generatePairs(() => generate(curve)))
  })
  const cases: MatrixCase[] = []
  for (const setting of settings) {
    for (const [forgery, isGood, forge] of FORGERIES) {
      for (const [grant, permissions, isGranted] of GRANTS) {
        cases.push({
          name: `${setting.name}, ${forgery}, grants ${grant}`,
          setting: setting.name,
          algorithm: setting.algorithm,
          token: forge(setting, permissions, nowSeconds),
          expect: isGood && isGranted ? 'allowed' : 'refused',
        })
      }
    }
  }
  return { settings, cases }
}

type Pairs = readonly [own: KeyPair, other: KeyPair, stranger: KeyPair]
type KeyPair = { readonly publicKey: KeyObject; readonly privateKey: KeyObject }

function generatePairs(generate: () => KeyPair): Pairs {
  return [generate(), generate(), generate()]
}

function createSetting(name: string, algorithm: TokenAlgorithm, [own, other, stranger]: Pairs): Setting {
  return {
    name,
    algorithm,
    publicKeyPem: toPem(own.publicKey),
    otherTransportPublicKeyPem: toPem(other.publicKey),
    key: own.privateKey,
    otherTransportKey: other.privateKey,
    strangerKey: stranger.privateKey,
  }
}

/** Times are offsets in seconds from now. */
function signed(
  times: { readonly exp?: number; readonly iat?: number; readonly nbf?: number },
  keyOf: (setting: Setting) => KeyObject = (setting) => setting.key,
  headerOf: (setting: Setting) => object = ({ algorithm }) => ({ alg: algorithm, typ: 'JWT' }),
): Forge {
  return (setting, permissions, nowSeconds) => {
    const payload: Record<string, unknown> = { permissions, exp: nowSeconds + HOUR_SECONDS }
    for (const [name, offset] of Object.entries(times)) payload[name] = nowSeconds + offset
    return encodeSigned(setting, keyOf(setting), payload, headerOf(setting))
  }
}

function withExp(shape: (exp: number) => unknown): Forge {
  return (setting, permissions, nowSeconds) =>
    encodeSigned(setting, setting.key, { permissions, exp: shape(nowSeconds + HOUR_SECONDS) })
}

function unsigned(header: object, signatureOf: (good: string) => string): Forge {
  return (setting, permissions, nowSeconds) => {
    const good = signed({})(setting, permissions, nowSeconds)
    return `${encode(header)}.${good.split('.')[1]}.${signatureOf(good)}`
  }
}

function hmacWithPublicKey(setting: Setting, permissions: readonly unknown[], nowSeconds: number): string {
  const input = `${encode({ alg: 'HS256' })}.${encode({ permissions, exp: nowSeconds + HOUR_SECONDS })}`
  return `${input}.${createHmac('sha256', setting.publicKeyPem).update(input).digest('base64url')}`
}

function otherAlgorithm({ algorithm }: Setting): object {
  return {
    alg: algorithm.endsWith('256') ? algorithm.replace('256', '384') : algorithm.replace(/\d+/, '256'),
  }
}

/** Combines the signature of a token without grants with a payload that grants the method. */
function swapPayload(setting: Setting, permissions: readonly unknown[], nowSeconds: number): string {
  const modest = signed({ iat: -5 })(setting, [], nowSeconds)
  const [header, , signature] = modest.split('.')
  return `${header}.${encode({ permissions, exp: nowSeconds + HOUR_SECONDS })}.${signature}`
}

/** DER instead of P1363; for RSA the padding of PS256. */
function otherSignatureForm(setting: Setting, permissions: readonly unknown[], nowSeconds: number): string {
  const good = signed({})(setting, permissions, nowSeconds)
  const input = good.slice(0, good.lastIndexOf('.'))
  const hash = `sha${setting.algorithm.slice(2)}`
  const isRsa = setting.algorithm.startsWith('RS')
  const options = isRsa ? ({ key: setting.key, padding: 6 } as const) : ({ key: setting.key } as const)
  return `${input}.${sign(hash, Buffer.from(input), options).toString('base64url')}`
}

function encodeSigned(setting: Setting, key: KeyObject, payload: object, header?: object): string {
  const input = `${encode(header ?? { alg: setting.algorithm, typ: 'JWT' })}.${encode(payload)}`
  const hash = `sha${setting.algorithm.slice(2)}`
  return `${input}.${sign(hash, Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function toPem(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'pem' }).toString()
}
