import { defineCommand } from '#cli/command.ts'
import { counted, type Io } from '#cli/io.ts'
import { readTextIfPresent, readToken } from '#cli/read-text.ts'
import { OptionIndex, parseArguments } from '#config/command-line.ts'
import { usageFault } from '#config/faults.ts'
import { boolean, path, text } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { readPasswordFile } from '#config/read-password-file.ts'
import { loadSettings, type Settings } from '#config/settings.ts'
import type { Finding } from '#doctor/check.ts'
import { DOCTOR_CHECKS, diagnose, OPTIONS_CHECK } from '#doctor/diagnose.ts'
import { askNode } from '#fleet/ask-node.ts'
import type { Endpoint } from '#fleet/endpoint.ts'
import { ALL_OPTIONS } from '#node/all-options.ts'
import { isPluginOption } from '#plugins/plugin-settings.ts'
import { Fault } from '#types/fault.ts'

const options = defineOptions('Options', {
  configFile: {
    flag: '--config-file',
    kind: path,
    help: 'Configuration file of the node.',
    details: 'Other options of the node may precede the command.',
  },
  against: {
    flag: '--against',
    kind: text,
    label: 'URL',
    help: 'JSON-RPC URL of another node to compare with.',
    details: 'Compares clock, genesis, forks, validators and message encoding.',
  },
  againstUser: {
    flag: '--against-user',
    kind: text,
    label: 'NAME',
    help: 'User for the node of --against.',
  },
  againstPasswordFile: {
    flag: '--against-password-file',
    kind: path,
    help: 'File whose first line is the password of that user.',
    details: 'Without it, doctor prompts for the password or reads it from standard input.',
  },
  againstTokenFile: {
    flag: '--against-token-file',
    kind: path,
    help: 'File with a token for --against, instead of a user.',
  },
  json: { flag: '--json', kind: boolean, default: false, help: 'Print findings as JSON.' },
})

const LOGIN_OPTIONS = [options.againstUser, options.againstPasswordFile, options.againstTokenFile]
const MAX_SECRET_BYTES = 16 * 1024

export default defineCommand({
  options,
  async run({ own, root, io }) {
    const file = own.get(options.configFile)
    const against = await readAgainst(own, io)
    const findings = await lookAt(() => (file === undefined ? root() : settingsOf(file)), against)
    const errors = findings.filter(({ severity }) => severity === 'error').length
    const isJson = own.get(options.json)
    if (isJson) io.out(`${JSON.stringify({ checks: DOCTOR_CHECKS.length, errors, findings })}\n`)
    else for (const finding of findings) io.out(formatFinding(finding))
    const summary = `${DOCTOR_CHECKS.length} checks: ${counted(errors, 'error')}, ${counted(findings.length - errors, 'warning')}.`
    if (errors > 0) throw new Fault('DOCTOR_FOUND_ERRORS', { sentence: summary })
    if (!isJson) io.out(`${summary}\n`)
  },
})

/** The other node and its login. A password is never on the command line, where other users could read it. */
async function readAgainst(own: Settings, io: Io): Promise<Endpoint | undefined> {
  const [url, username] = [own.get(options.against), own.get(options.againstUser)]
  const [passwordFile, tokenFile] = [own.get(options.againstPasswordFile), own.get(options.againstTokenFile)]
  if (url === undefined) {
    const [useless] = LOGIN_OPTIONS.filter((option) => own.isGiven(option))
    if (useless !== undefined) throw usageFault(`${useless.flag} needs --against, the node to log in at.`)
    return undefined
  }
  if (tokenFile !== undefined) {
    if (username !== undefined || passwordFile !== undefined) {
      throw usageFault('Give either --against-token-file, or a user and a password: one login is enough.')
    }
    return { url, token: readToken(tokenFile) }
  }
  if (username === undefined) {
    if (passwordFile !== undefined) throw usageFault('--against-password-file needs --against-user.')
    return { url }
  }
  const password =
    passwordFile === undefined
      ? ((await io.readSecretLine(`Password of ${username}: `)) ?? firstLine(io.readInput(MAX_SECRET_BYTES)))
      : readPasswordFile(passwordFile)
  if (password === '') {
    throw usageFault('There is no password: give --against-password-file, or write it to standard input.')
  }
  // The operator names the URL, so the password is for any server there.
  return { url, login: { username, password, requireOwner: () => undefined } }
}

const firstLine = (input: string): string => input.split(/\r?\n/, 1)[0]!

/** Unreadable options are a finding too; nothing else is checked then. */
async function lookAt(read: () => Settings, against: Endpoint | undefined): Promise<readonly Finding[]> {
  let settings: Settings
  try {
    settings = read()
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown
    const remedy = 'Correct it, and run doctor again: no other check ran.'
    return [{ id: OPTIONS_CHECK, severity: 'error', problem: thrown.message, remedy }]
  }
  return await diagnose(settings, {
    engine: process.env.CAIRN_ENGINE,
    against: against && { url: against.url, ask: (calls) => askNode(against, calls) },
  })
}

function settingsOf(file: string): Settings {
  const index = new OptionIndex(ALL_OPTIONS)
  const { given } = parseArguments([`--config-file=${file}`], index, { passesOver: isPluginOption })
  const texts = { environment: process.env, readText: readTextIfPresent }
  return loadSettings({ options: ALL_OPTIONS, commandLine: given, ...texts, passesOver: isPluginOption })
}

function formatFinding({ id, severity, problem, remedy }: Finding): string {
  return `${severity} [${id}] ${problem}\n    ${remedy}\n`
}
