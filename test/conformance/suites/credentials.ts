import { createPublicKey } from 'node:crypto'
import { loadSharedSecret } from '#engine-api/shared-secret.ts'
import { checkCredentialsFile, createCredentialsFile, parseCredentials } from '#jsonrpc/auth/credentials.ts'
import { createLogin } from '#jsonrpc/auth/login.ts'
import { verifyPassword } from '#jsonrpc/auth/password-hash.ts'
import { loadPublicKey } from '#jsonrpc/auth/public-key.ts'
import { createLog } from '#platform/log/log.ts'
import { Fault } from '#types/fault.ts'
import type { Outcome, Pack, Suite } from '../suite.ts'

interface FileCase {
  readonly file: string
  readonly transport?: 'HTTP' | 'WS'
  readonly ok: boolean
  readonly message?: string
  readonly messageContains?: string
}

interface LoginCase {
  readonly body: { readonly username?: string; readonly password?: string }
  readonly error?: string
  readonly permissions?: readonly string[]
}

interface Expected {
  readonly validateFile: readonly FileCase[]
  readonly login: { readonly file: string; readonly cases: readonly LoginCase[] }
}

/** The answers of /login for the origin's internal reasons, and the counted reason. */
const ANSWER_OF_ERROR: Readonly<Record<string, readonly [status: number, reason?: string]>> = {
  'No username provided': [400],
  'No password provided': [400],
  'User not found': [401, 'unknown user'],
  'No password set for user': [401, 'unusable entry'],
  'Invalid password': [401, 'wrong password'],
}

const suite: Suite = {
  name: 'credentials',
  async *run(pack) {
    const seen = new Set(['credentials/expected.json'])
    for await (const outcome of outcomes(pack)) {
      seen.add(outcome.unit.replace(/#.*/, ''))
      yield outcome
    }
    const unread = pack.files('credentials').filter((file) => !seen.has(file))
    for (const unit of unread) yield { unit, status: 'failed', reason: 'no case reads it' }
  },
}

async function* outcomes(pack: Pack): AsyncGenerator<Outcome> {
  const expected = pack.json('credentials/expected.json') as Expected
  for (const fileCase of expected.validateFile) yield validateFile(pack, fileCase)
  for (const [index, loginCase] of expected.login.cases.entries()) {
    const unit = `credentials/${expected.login.file}#login ${index}`
    yield await logIn(unit, pack.path(`credentials/${expected.login.file}`), loginCase)
  }
  yield loadUsers(pack, 'credentials/auth_acceptance.toml', { user: ['fakePermission', 'net:peerCount'] })
  yield loadUsers(pack, 'credentials/auth_http_service.toml', {
    user: ['fakePermission', 'eth:blockNumber', 'eth:subscribe', 'web3:*'],
    adminuser: ['*:*'],
  })
  yield loadKey(pack, 'credentials/jwt_public_key_rsa', 'RS256')
  yield loadKey(pack, 'credentials/jwt_public_key_ecdsa', 'ES256')
  yield loadSecret(pack, 'credentials/ee-jwt-secret.hex', true)
  yield loadSecret(pack, 'credentials/ee-jwt-secret-too-short.hex', false)
}

/** The secret of a consensus client has 32 bytes. */
function loadSecret(pack: Pack, unit: string, isValid: boolean): Outcome {
  let sentence = 'accepted'
  try {
    loadSharedSecret(pack.path(unit))
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    sentence = error.message
  }
  return outcome(unit, (sentence === 'accepted') === isValid, sentence)
}

function validateFile(pack: Pack, fileCase: FileCase): Outcome {
  const unit = `credentials/${fileCase.file}`
  // The message names a missing file as it was given.
  const path = pack.files('credentials').includes(unit) ? pack.path(unit) : fileCase.file
  let sentence = 'accepted'
  try {
    checkCredentialsFile(path, fileCase.transport ?? 'HTTP')
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    sentence = error.message
  }
  if (fileCase.ok) return outcome(unit, sentence === 'accepted', sentence)
  const { message = fileCase.messageContains!, file } = fileCase
  const [before = '', after = ''] = AROUND_MESSAGE[file] ?? []
  return outcome(unit, sentence === `${before}${message}${after}`.replace('PATH', path), sentence)
}

const BROKEN_FILE = 'Invalid RPC HTTP authentication credentials file: '
const INVALID_VALUE =
  " See user 'userA' in PATH: password and privacyPublicKey are texts that are not empty, everything else is a list of texts, and only permissions may be an empty one."

/** The texts around the origin's message in our sentences: the place of the mistake, and the remedy. */
const AROUND_MESSAGE: Readonly<Record<string, readonly [before: string, after: string]>> = {
  'rpcauth/auth_invalid.toml': [
    BROKEN_FILE,
    ': illegal character in key (line 3, column 1). Correct the file.',
  ],
  'rpcauth/auth_duplicate_user.toml': [
    BROKEN_FILE,
    ': trying to redefine an already defined table or value (line 8, column 2). Correct the file.',
  ],
  'rpcauth/auth_no_password.toml': [
    '',
    " Give user 'userB' in PATH a password: a line printed by the command password hash.",
  ],
  'rpcauth/auth_invalid_groups_value.toml': ['', INVALID_VALUE],
  'rpcauth/auth_invalid_permissions_value.toml': ['', INVALID_VALUE],
  'rpcauth/auth_invalid_privacy_public_key_value.toml': ['', INVALID_VALUE],
  thisshouldntexist: ['', '. Check the path.'],
}

async function logIn(unit: string, path: string, { body, error, permissions }: LoginCase): Promise<Outcome> {
  let granted: readonly string[] = []
  let refusal: string | undefined
  const login = createLogin({
    credentials: createCredentialsFile(path),
    log: createLog({ level: 'OFF', fd: 1, format: 'JSON', destination: { write: () => undefined } }),
    metrics: {
      onFailedLogin: (reason) => {
        refusal = reason
      },
    },
    admitLogin: async () => ({ ok: true }),
    passwords: {
      verify: async (password, hash) =>
        verifyPassword(password.reveal(), hash.reveal()) ? 'match' : 'mismatch',
    },
    issueToken: ({ grants }) => {
      granted = grants
      return 'token'
    },
  })
  const { status } = await login(Buffer.from(JSON.stringify(body)), '192.0.2.1')
  const [wanted, reason] = error === undefined ? [200] : ANSWER_OF_ERROR[error]!
  const isMet =
    status === wanted && refusal === reason && JSON.stringify(granted) === JSON.stringify(permissions ?? [])
  return outcome(
    unit,
    isMet,
    `answered ${status} for ${refusal} and granted ${granted.join(', ') || 'nothing'}`,
  )
}

function loadUsers(pack: Pack, unit: string, wanted: Readonly<Record<string, readonly string[]>>): Outcome {
  const warnings = checkCredentialsFile(pack.path(unit), 'HTTP')
  const users = parseCredentials(pack.text(unit))
  const grants = Object.fromEntries([...users].map(([name, user]) => [name, user.grants]))
  const isMet = warnings.length === 0 && JSON.stringify(grants) === JSON.stringify(wanted)
  return outcome(unit, isMet, `loads as ${JSON.stringify(grants)}`)
}

function loadKey(pack: Pack, unit: string, algorithm: 'RS256' | 'ES256'): Outcome {
  const key = loadPublicKey(pack.path(unit), algorithm)
  return outcome(unit, key.equals(createPublicKey(pack.text(unit))), 'is another key than the file holds')
}

function outcome(unit: string, isMet: boolean, reason: string): Outcome {
  return isMet ? { unit, status: 'met' } : { unit, status: 'failed', reason }
}

export default suite
