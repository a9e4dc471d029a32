import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Outcome, outcomeOfPlay, type Pack } from '../suite.ts'
import { AUTH_RULES } from './auth-rules.ts'
import { authStandIn, changeGrant, changeGrants } from './auth-stand-in.ts'
import { type RecordedEntry, readEntries } from './entry.ts'
import { inParallel } from './in-parallel.ts'
import { decodedTokenOutcome, grantsAny, isTokenLogin, logIn } from './log-in.ts'
import { judgeEntry, outcomeOf, playEntry, type Rule } from './play.ts'
import { playExpiry } from './play-expiry.ts'
import {
  recordedSeconds,
  reissuing,
  substituting,
  type TranslateToken,
  withTokens,
} from './recorded-tokens.ts'
import { type NodePorts, startNode } from './start-node.ts'
import type { SigningKey } from './token-text.ts'

const PARALLEL = 16

interface Translations {
  readonly plain: TranslateToken
  /** Tokens with the grants of the stand-in methods. */
  readonly standIn: TranslateToken
}

/** Public-key mode: `key` names the recording's files. */
export async function playPublicKey(
  pack: Pack,
  file: string,
  key: string,
  options: readonly string[],
): Promise<Outcome[]> {
  const entries = readEntries(pack, file)
  const signing: SigningKey = {
    publicPem: pack.text(`recorded/config/auth-keys/${key}.pub`),
    privatePem: pack.text(`recorded/config/auth-keys/${key}.pem`),
  }
  const node = await startNode(options)
  try {
    const shift = nowSeconds() - recordedSeconds(entries)
    const tokens = { plain: reissuing(signing, shift), standIn: reissuing(signing, shift, changeGrant) }
    return await inParallel(entries, PARALLEL, (entry, index) => {
      const name = `${file}#${index}`
      if (!entry.note.includes('expires in mid-connection')) return playOne(name, node.ports, entry, tokens)
      const unit = unitOf(name)
      return outcomeOfPlay(unit, () => playExpiry(unit, pack, entry, signing, options))
    })
  } finally {
    await node.stop()
  }
}

/** Credentials mode; `optionsFor` receives a copy of the credentials file, which changes during the recording. */
export async function playCredentials(
  pack: Pack,
  file: string,
  optionsFor: (credentialsFile: string) => readonly string[],
): Promise<Outcome[]> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-credentials-'))
  const credentials = join(folder, 'auth.toml')
  copyFileSync(pack.path('recorded/config/auth-credentials.toml'), credentials)
  const node = await startNode(optionsFor(credentials))
  try {
    return await playWithLogins(node.ports, file, readEntries(pack, file), credentials)
  } finally {
    await node.stop()
    rmSync(folder, { recursive: true })
  }
}

async function playWithLogins(
  ports: NodePorts,
  file: string,
  entries: readonly RecordedEntry[],
  credentials: string,
): Promise<Outcome[]> {
  const shift = nowSeconds() - recordedSeconds(entries)
  const logins = entries.filter(isTokenLogin)
  const { issued, answers } = await logIn(ports, logins)
  const plain = substituting(issued, shift)
  const outcomes: Outcome[] = []
  const playAll = (indices: readonly number[], tokens: Translations, atOnce = PARALLEL) =>
    inParallel(indices, atOnce, async (index) => {
      const name = `${file}#${index}`
      const entry = entries[index]!
      const answer = answers.get(entry)
      if (answer !== undefined) outcomes[index] = outcomeOf(unitOf(name), judgeEntry(entry, answer))
      else if (entry.payload === undefined) outcomes[index] = await playOne(name, ports, entry, tokens)
      else outcomes[index] = decodedTokenOutcome(unitOf(name), entry, entries, issued)
    })
  // Logins run first: each of them reads the file, which changes later.
  const isLogin = (index: number) => entries[index]?.path === '/login'
  const indices = [...entries.keys()]
  await playAll(indices.filter(isLogin), { plain, standIn: plain })
  writeFileSync(credentials, changeGrants(readFileSync(credentials, 'utf8')))
  const changed = logins.filter((login) => grantsAny(login, (grant) => changeGrant(grant) !== grant))
  const again = await logIn(ports, changed)
  const standIn = substituting(new Map([...issued, ...again.issued]), shift)
  // Subscription ids follow the order of creation.
  const isNumbered = (index: number) =>
    entries[index]!.frames?.some(({ out }) => out?.includes('"eth_subscribe"')) === true
  const others = indices.filter((index) => !isLogin(index))
  await playAll(others.filter(isNumbered), { plain, standIn }, 1)
  await playAll(
    others.filter((index) => !isNumbered(index)),
    { plain, standIn },
  )
  return outcomes
}

function playOne(
  name: string,
  ports: NodePorts,
  recorded: RecordedEntry,
  tokens: Translations,
  rule: Rule | undefined = AUTH_RULES[name],
): Promise<Outcome> {
  const unit = unitOf(name)
  const { headers = {}, path = '/' } = recorded
  return outcomeOfPlay(unit, () =>
    playEntry(unit, withTokens(recorded, tokens.plain), {
      ports,
      rule,
      standIn: (told) => authStandIn({ ...told, headers, path }, tokens.standIn),
    }),
  )
}

function unitOf(name: string): string {
  return `recorded/jsonrpc/${name}`
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000)
}
