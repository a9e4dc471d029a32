import { parse, TomlError } from 'smol-toml'
import { usageFault } from '#config/faults.ts'
import { readTextBounded } from '#platform/files/files.ts'
import { Secret } from '#platform/secret.ts'
import { Fault } from '#types/fault.ts'
import { passwordHashCost } from './password-hash.ts'

/** Room for about 5,000 users. Every login reads the file again, on a server thread. */
const FILE_MAX_BYTES = 1024 * 1024
const USERS = 'Users'

export interface User {
  readonly name: string
  /** Null if this user cannot log in. */
  readonly passwordHash: Secret<string> | null
  readonly grants: readonly string[]
  readonly privacyPublicKey: string | null
  /** True if a value has the wrong type: start and login then refuse the user. */
  readonly hasInvalidValues: boolean
}

export type Users = ReadonlyMap<string, User>

/** The word for a transport in Besu's texts. */
export type TransportWord = 'HTTP' | 'WS'

/** Throws a Fault for mistakes that prevent the start; returns the others as warnings. */
export function checkCredentialsFile(path: string, transport: TransportWord): readonly string[] {
  const users = checkedUsers(path, transport)
  const warnings: string[] = []
  for (const { name, passwordHash, hasInvalidValues } of users.values()) {
    if (passwordHash === null && !hasInvalidValues) {
      throw usageFault(
        `RPC user specified without password. Give user '${name}' in ${path} a password: a line printed by the command password hash.`,
      )
    }
    if (hasInvalidValues) {
      throw usageFault(
        `RPC authentication configuration file contains invalid values. See user '${name}' in ${path}: password and privacyPublicKey are texts that are not empty, everything else is a list of texts, and only permissions may be an empty one.`,
      )
    }
    if (passwordHash !== null && passwordHashCost(passwordHash.reveal()) === null) {
      warnings.push(
        `User '${name}' in ${path} cannot log in: the password is not a bcrypt hash that can be used. Make one with the command password hash.`,
      )
    }
  }
  return warnings
}

function checkedUsers(path: string, transport: TransportWord): Users {
  const invalid = `Invalid RPC ${transport} authentication credentials file`
  let users: Users
  try {
    users = parseCredentials(readTextBounded(path, FILE_MAX_BYTES))
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    if (error.kind === 'FILE_NOT_FOUND') {
      throw usageFault(
        `The specified RPC ${transport} authentication credential file '${path}' does not exist. Check the path.`,
      )
    }
    throw usageFault(`${invalid}: ${error.message}`)
  }
  if (users.size === 0) {
    throw usageFault(`${invalid}: ${path} names no user. Add a table [Users.<name>] with a password.`)
  }
  return users
}

export type CredentialsFile = ReturnType<typeof createCredentialsFile>

export function createCredentialsFile(path: string) {
  let lastText: string | undefined
  let lastUsers: Users = new Map()
  return {
    /** The current users of the file. Throws a Fault if it is missing or broken. */
    load(): Users {
      const text = readTextBounded(path, FILE_MAX_BYTES)
      // Parsing costs far more than reading.
      if (text !== lastText) {
        lastUsers = parseCredentials(text)
        lastText = text
      }
      return lastUsers
    },
  }
}

/** Includes users that cannot log in; the caller decides what they mean. */
export function parseCredentials(text: string): Users {
  const users = new Map<string, User>()
  const table = parseToml(text)[USERS]
  if (isTable(table)) collectUsers('', table, users)
  return users
}

type Table = Readonly<Record<string, unknown>>

/** `[Users."a.b"]` and `[Users.a.b]` both name the user `a.b`. */
function collectUsers(prefix: string, table: Table, users: Map<string, User>): void {
  for (const [key, value] of Object.entries(table)) {
    if (!isTable(value)) continue
    const name = prefix + key
    const members = Object.entries(value)
    const own = members.filter(([, member]) => !isTable(member))
    // A table that holds only tables is part of a dotted name.
    if (own.length > 0 || members.length === 0) {
      if (users.has(name)) throw invalidToml(`user '${name}' is defined twice`)
      users.set(name, readUser(name, new Map(own)))
    }
    collectUsers(`${name}.`, value, users)
  }
}

function readUser(name: string, members: ReadonlyMap<string, unknown>): User {
  const password = members.get('password')
  const permissions = members.get('permissions')
  const privacyPublicKey = members.get('privacyPublicKey')
  return {
    name,
    passwordHash: isFilledText(password) ? new Secret(password) : null,
    grants: isTextList(permissions) ? permissions : [],
    privacyPublicKey: isFilledText(privacyPublicKey) ? privacyPublicKey : null,
    hasInvalidValues: [...members].some(([key, value]) => !isValidMember(key, value)),
  }
}

/** As in Besu: groups, roles and unknown keys must be non-empty lists, although nothing reads them. */
function isValidMember(key: string, value: unknown): boolean {
  if (key === 'password' || key === 'privacyPublicKey') return isFilledText(value)
  return isTextList(value) && (value.length > 0 || key === 'permissions')
}

function isFilledText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function isTable(value: unknown): value is Table {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

function parseToml(text: string): Table {
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    // The parser's message quotes nearby lines, so it may contain a hash, and so may the error as a cause.
    const what = error.message.split('\n', 1)[0]?.replace(/^Invalid TOML document: /, '')
    throw invalidToml(`${what} (line ${error.line}, column ${error.column})`)
  }
}

function invalidToml(what: string) {
  return usageFault(`Invalid TOML configuration: ${what}. Correct the file.`)
}
