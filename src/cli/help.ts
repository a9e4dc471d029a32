import { isUsable, type Option } from '#config/option.ts'
import type { Command } from './command.ts'
import { COMMAND_GROUPS, COMMANDS, type CommandRow } from './commands.ts'
import { helpOptions } from './help-options.ts'

const WIDTH = 100
const INDENT = 6

export function formatRootHelp(options: readonly Option[]): string {
  return [
    'Usage:\n\ncairn [OPTIONS] [COMMAND]\n',
    'Runs an EVM node for private networks (QBFT, IBFT 2.0). Every option can also be given as an',
    'environment variable (--rpc-http-port is CAIRN_RPC_HTTP_PORT, or BESU_RPC_HTTP_PORT) and as a key of the TOML',
    'file --config-file (rpc-http-port). Command line wins over environment, file and profile.\n',
    formatOptions([...options, ...Object.values(helpOptions)]),
    formatCommandList(COMMANDS),
  ].join('\n')
}

export function formatGroupHelp(group: string): string {
  const rows = COMMANDS.filter(({ path }) => path[0] === group)
  return [`Usage: cairn ${group} [COMMAND]`, COMMAND_GROUPS[group], '', formatCommandList(rows)].join('\n')
}

export function formatCommandHelp({ path, summary }: CommandRow, command: Command): string {
  const operands = command.operands ? ` <${command.operands.label}>` : ''
  const usage = [`Usage: cairn ${path.join(' ')} [OPTIONS]${operands}`, summary]
  if (command.operands) usage.push('', `  <${command.operands.label}>  ${command.operands.help}`)
  return [
    ...usage,
    '',
    formatOptions([...Object.values(command.options), ...Object.values(helpOptions)]),
  ].join('\n')
}

function formatCommandList(rows: readonly CommandRow[]): string {
  const width = Math.max(...rows.map(({ path }) => path.join(' ').length))
  const lines = rows.map(({ path, summary }) => `  ${path.join(' ').padEnd(width)}  ${summary}`)
  return `Commands:\n${lines.join('\n')}\n`
}

/** Options that cannot be used are left out; docs/cli.md has them all. */
function formatOptions(options: readonly Option[]): string {
  const shown = options.filter((option) => !option.hidden && isUsable(option))
  const groups = Map.groupBy(shown, (option) => option.group)
  return [...groups].map(([group, rows]) => `${group}:\n${rows.map(formatOption).join('')}`).join('\n')
}

function formatOption(option: Option): string {
  const names = [...option.aliases.filter((name) => name.length === 2), option.flag].join(', ')
  const value = option.kind.bare === undefined ? `=<${option.label}>` : ''
  const text = `${option.help}${formatDefault(option)}`
  return `  ${names}${value}\n${wrap(text)}`
}

/** ` (default: x)`, or nothing where there is none. */
export function formatDefault(option: Option): string {
  const { default: value, defaultText } = option
  const shown = defaultText ?? (value === undefined || value === null ? undefined : option.kind.format(value))
  return shown === undefined || shown === '' ? '' : ` (default: ${shown})`
}

function wrap(text: string): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > WIDTH - INDENT) {
      lines.push(line)
      line = word
    } else {
      line = line === '' ? word : `${line} ${word}`
    }
  }
  lines.push(line)
  return lines.map((each) => `${' '.repeat(INDENT)}${each}\n`).join('')
}
