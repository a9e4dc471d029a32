import { createHmac } from 'node:crypto'
import { JSONRPC_PROBLEMS } from '#jsonrpc/log-problems.ts'
import type { Log } from '#platform/log/log.ts'
import { systemRandom } from '#platform/random.ts'
import { Secret } from '#platform/secret.ts'
import { emptyAnswer, type HttpAnswer, textAnswer } from '#serve/http-answer.ts'
import { Fault } from '#types/fault.ts'
import type { CredentialsFile, User, Users } from './credentials.ts'
import type { AdmitLogin, LoginAdmission } from './login-limit.ts'
import { decoyHash, passwordHashCost } from './password-hash.ts'
import type { AuthMetrics } from './refusals.ts'

const BODY_MAX_BYTES = 16 * 1024

const REQUIRED = textAnswer(400, 'Bad Request', 'Authentication failed: username and password are required.')
const INCORRECT = textAnswer(
  401,
  'Unauthorized',
  'Authentication failed: the username or password is incorrect.',
)
const TOO_LARGE = textAnswer(413, 'Request Entity Too Large')
const BUSY_RETRY_SECONDS = 5
const BUSY: HttpAnswer = {
  ...textAnswer(503, 'Service Unavailable', 'Too many logins are waiting. Try again in a few seconds.'),
  headers: ['retry-after', String(BUSY_RETRY_SECONDS)],
}

/** The answer if authentication is off or another issuer signs the tokens. */
export const LOGIN_NOT_ENABLED = emptyAnswer(400, 'Authentication not enabled')

/** `busy`: too many passwords wait, and nothing was verified. */
export type PasswordVerdict = 'match' | 'mismatch' | 'busy'

/** Verifies passwords on another thread, because bcrypt would block the caller for 0.1 s. */
export interface PasswordVerifier {
  verify(password: Secret<string>, hash: Secret<string>): Promise<PasswordVerdict>
}

export interface LoginOptions {
  readonly credentials: CredentialsFile
  readonly passwords: PasswordVerifier
  readonly admitLogin: AdmitLogin
  readonly issueToken: (user: User) => string
  readonly log: Log
  readonly metrics: Pick<AuthMetrics, 'onFailedLogin'>
}

export type Login = (body: Uint8Array, remoteAddress: string) => Promise<HttpAnswer>

export function createLogin(options: LoginOptions): Login {
  const { credentials, passwords, admitLogin, issueToken, log, metrics } = options
  const decoyKey = systemRandom.randomBytes(32)

  const loadUsers = (): Users => {
    try {
      return credentials.load()
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      log.warn(JSONRPC_PROBLEMS.credentialsUnusable, { reason: error.message })
      return new Map()
    }
  }

  /** Null if main is too busy to count. */
  const admit = async (remoteAddress: string): Promise<LoginAdmission | null> => {
    try {
      return await admitLogin(remoteAddress)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      log.warn(JSONRPC_PROBLEMS.loginNotCounted, { reason: error.message })
      return null
    }
  }

  return async (body, remoteAddress) => {
    if (body.length > BODY_MAX_BYTES) return TOO_LARGE
    const attempt = parseAttempt(body)
    if (attempt === null) return REQUIRED
    const admission = await admit(remoteAddress)
    if (admission === null) return BUSY
    if (!admission.ok) {
      metrics.onFailedLogin('too many attempts')
      return tooMany(admission.retryAfterSeconds)
    }

    const users = loadUsers()
    const user = users.get(attempt.username)
    const usableHash = usableHashOf(user)
    // Always made, because making it takes time as well.
    const decoy = decoyFor(users, attempt.username, decoyKey)
    const hash = usableHash ?? decoy
    const verdict = await passwords.verify(attempt.password, hash)
    if (verdict === 'busy') return BUSY
    if (user === undefined || usableHash === null || verdict === 'mismatch') {
      const reason =
        user === undefined ? 'unknown user' : usableHash === null ? 'unusable entry' : 'wrong password'
      metrics.onFailedLogin(reason)
      // An unknown name may be a password typed into the wrong field, so it is not logged.
      log.info('Refused login', { remoteAddress, reason, ...(user && { user: user.name }) })
      return INCORRECT
    }
    const token = issueToken(user)
    return { status: 200, reason: 'OK', contentType: 'application/json', body: JSON.stringify({ token }) }
  }
}

interface Attempt {
  readonly username: string
  readonly password: Secret<string>
}

function parseAttempt(body: Uint8Array): Attempt | null {
  const { username, password } = parseObject(body)
  if (username === undefined || username === null || password === undefined || password === null) return null
  return { username: toText(username), password: new Secret(toText(password)) }
}

/** As in Besu, a value of another type is replaced by its text. */
function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function parseObject(body: Uint8Array): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString())
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

function usableHashOf(user: User | undefined): Secret<string> | null {
  if (user === undefined || user.passwordHash === null || user.hasInvalidValues) return null
  return passwordHashCost(user.passwordHash.reveal()) === null ? null : user.passwordHash
}

/** A failed login takes as long as a successful one, and a name always gets the same cost, so no user is revealed. */
function decoyFor(users: Users, username: string, key: Uint8Array): Secret<string> {
  const costs: number[] = []
  for (const user of users.values()) {
    const hash = usableHashOf(user)
    const cost = hash === null ? null : passwordHashCost(hash.reveal())
    if (cost !== null) costs.push(cost)
  }
  // Without users any cost will do.
  const drawn = createHmac('sha256', key).update(username).digest().readUInt32BE()
  return new Secret(decoyHash(costs[drawn % costs.length]))
}

function tooMany(retryAfterSeconds: number): HttpAnswer {
  const unit = retryAfterSeconds === 1 ? 'second' : 'seconds'
  return {
    ...textAnswer(
      429,
      'Too Many Requests',
      `Too many logins from this address. Try again in ${retryAfterSeconds} ${unit}.`,
    ),
    headers: ['retry-after', String(retryAfterSeconds)],
  }
}
