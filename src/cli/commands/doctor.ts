import { defineCommand } from '#cli/command.ts'
import { readTextIfPresent } from '#cli/read-text.ts'
import { OptionIndex, parseArguments } from '#config/command-line.ts'
import { boolean, path, text } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { loadSettings, type Settings } from '#config/settings.ts'
import { askNode } from '#fleet/ask-node.ts'
import { ALL_OPTIONS } from '#node/all-options.ts'
import type { Finding } from '#node/doctor/check.ts'
import { DOCTOR_CHECKS, diagnose, OPTIONS_CHECK } from '#node/doctor/diagnose.ts'
import { isPluginOption } from '#plugins/plugin-settings.ts'
import { Fault } from '#types/fault.ts'

const options = defineOptions('Options', {
  configFile: {
    flag: '--config-file',
    kind: path,
    help: 'Configuration file of the node to look at. Other options of the node may stand before the command.',
  },
  against: {
    flag: '--against',
    kind: text,
    label: 'URL',
    help: 'JSON-RPC of another node of the same network, to compare clock, genesis, forks and encoding with.',
  },
  json: { flag: '--json', kind: boolean, default: false, help: 'Print what was found as JSON.' },
})

export default defineCommand({
  options,
  async run({ own, root, io }) {
    const file = own.get(options.configFile)
    const findings = await lookAt(
      () => (file === undefined ? root() : settingsOf(file)),
      own.get(options.against),
    )
    const errors = findings.filter(({ severity }) => severity === 'error').length
    const isJson = own.get(options.json)
    if (isJson) io.out(`${JSON.stringify({ checks: DOCTOR_CHECKS.length, errors, findings })}\n`)
    else for (const finding of findings) io.out(formatFinding(finding))
    const summary = `${DOCTOR_CHECKS.length} checks: ${count(errors, 'error')}, ${count(findings.length - errors, 'warning')}.`
    if (errors > 0) throw new Fault('DOCTOR_FOUND_ERRORS', { sentence: summary })
    if (!isJson) io.out(`${summary}\n`)
  },
})

/** Options that cannot be read are found as well, and nothing else is then. */
async function lookAt(read: () => Settings, url: string | undefined): Promise<readonly Finding[]> {
  let settings: Settings
  try {
    settings = read()
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown
    const remedy = 'Correct it, and look again: nothing else was looked at.'
    return [{ id: OPTIONS_CHECK, severity: 'error', problem: thrown.message, remedy }]
  }
  const ask = (to: string) => (calls: Parameters<typeof askNode>[1]) => askNode({ url: to }, calls)
  return await diagnose(settings, {
    engine: process.env.CAIRN_ENGINE,
    against: url === undefined ? undefined : { url, ask: ask(url) },
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

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
