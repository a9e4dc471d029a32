/** The secret that the node shares with its consensus client. */
import { join } from 'node:path'
import { dataOptions } from '#config/data-directory.ts'
import { usageFault } from '#config/faults.ts'
import type { Settings } from '#config/settings.ts'
import type { AuthenticationConfig } from '#jsonrpc/auth/create-authenticator.ts'
import { ensureDirectory, readTextBounded, writeFileAtomic } from '#platform/files/files.ts'
import { type Random, systemRandom } from '#platform/random.ts'
import { Secret } from '#platform/secret.ts'
import { engineOptions } from './options.ts'

/** Besu writes the same file. */
const GENERATED_FILE = 'jwt.hex'
const SECRET_BYTES = 32
const MAX_FILE_BYTES = 1_024
const SECRET = /^(?:0x)?([0-9a-fA-F]{64})$/
/** Only the owner may read it. */
const PRIVATE = { mode: 0o600 }

/** Throws if the file does not hold a secret. */
export function loadSharedSecret(file: string): Secret<string> {
  const digits = SECRET.exec(readSecretText(file).trim())?.[1]
  if (digits !== undefined) return new Secret(digits.toLowerCase())
  throw usageFault(
    `The file ${file} of ${engineOptions.jwtSecret.flag} must have exactly 32 bytes as 64 hex digits. Create one with: openssl rand -hex 32`,
  )
}

function readSecretText(file: string): string {
  try {
    return readTextBounded(file, MAX_FILE_BYTES)
  } catch (cause) {
    throw usageFault(
      `The secret of ${engineOptions.jwtSecret.flag} cannot be read. ${(cause as Error).message}`,
      {
        cause,
      },
    )
  }
}

/** Without a secret file, writes a new secret to the data directory, where the consensus client can read it. */
export function readEngineAuthentication(
  settings: Settings,
  random: Pick<Random, 'randomBytes'> = systemRandom,
): AuthenticationConfig {
  if (settings.get(engineOptions.jwtDisabled)) return { mode: 'off' }
  const file = settings.get(engineOptions.jwtSecret)
  const secret = file === undefined ? generateSecret(settings, random) : loadSharedSecret(file)
  return { mode: 'sharedSecret', secretHex: secret.reveal() }
}

function generateSecret(settings: Settings, random: Pick<Random, 'randomBytes'>): Secret<string> {
  const folder = settings.get(dataOptions.dataPath)
  const secret = new Secret(Buffer.from(random.randomBytes(SECRET_BYTES)).toString('hex'))
  ensureDirectory(folder)
  writeFileAtomic(join(folder, GENERATED_FILE), secret.reveal(), PRIVATE)
  return secret
}
