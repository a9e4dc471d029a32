import { isUsable, type Option } from '#config/option.ts'
import type { Command } from './command.ts'
import { COMMAND_GROUPS, COMMANDS, type CommandRow } from './commands.ts'
import { helpOptions } from './help-options.ts'

/** Longer lines are hard to read, and shorter ones have no room for the longest option. */
const WIDTH_MAX = 100
const WIDTH_MIN = 60
const INDENT = 6

const INTRODUCTION =
  'Runs an EVM node for private networks (QBFT, IBFT 2.0). Every option can also be given as an environment variable (--rpc-http-port is CAIRN_RPC_HTTP_PORT, or BESU_RPC_HTTP_PORT) and as a key of the TOML file --config-file (rpc-http-port). The command line wins over the environment, that over the file, and that over the profile.'

/** `columns` is the width of the terminal, if there is one. */
export function formatRootHelp(options: readonly Option[], columns?: number): string {
  const width = widthFor(columns)
  return [
    'Usage:\n\ncairn [OPTIONS] [COMMAND]\n',
    wrap(INTRODUCTION, width, 0),
    formatOptions([...options, ...Object.values(helpOptions)], width),
    formatCommandList(COMMANDS, width),
    wrap(
      'docs/reference/cli.md also lists the Besu options that have no effect or prevent a start.',
      width,
      0,
    ),
  ].join('\n')
}

export function formatGroupHelp(group: string, columns?: number): string {
  const rows = COMMANDS.filter(({ path }) => path[0] === group)
  const commands = formatCommandList(rows, widthFor(columns))
  return [`Usage: cairn ${group} [COMMAND]`, COMMAND_GROUPS[group], '', commands].join('\n')
}

export function formatCommandHelp({ path, summary }: CommandRow, command: Command, columns?: number): string {
  const width = widthFor(columns)
  const operands = command.operands ? ` <${command.operands.label}>` : ''
  const usage = [`Usage: cairn ${path.join(' ')} [OPTIONS]${operands}`, summary]
  if (command.operands) usage.push('', `  <${command.operands.label}>  ${command.operands.help}`)
  return [
    ...usage,
    '',
    formatOptions([...Object.values(command.options), ...Object.values(helpOptions)], width),
  ].join('\n')
}

function widthFor(columns = WIDTH_MAX): number {
  return Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, columns))
}

function formatCommandList(rows: readonly CommandRow[], width: number): string {
  const longest = Math.max(...rows.map(({ path }) => path.join(' ').length))
  const indent = longest + 4
  const lines = rows.map(({ path, summary }) => {
    const name = `  ${path.join(' ').padEnd(longest)}  `
    return name + wrap(summary, width, indent).slice(indent)
  })
  return `Commands:\n${lines.join('')}`
}

/** Omits options that cannot be used; docs/reference/cli.md lists all of them. */
function formatOptions(options: readonly Option[], width: number): string {
  const shown = options.filter((option) => !option.hidden && isUsable(option))
  const groups = Map.groupBy(shown, (option) => option.group)
  const format = (option: Option) => formatOption(option, width)
  return [...groups].map(([group, rows]) => `${group}:\n${rows.map(format).join('')}`).join('\n')
}

function formatOption(option: Option, width: number): string {
  const names = [...option.aliases.filter((name) => name.length === 2), option.flag].join(', ')
  const value = option.kind.bare === undefined ? `=<${option.label}>` : ''
  const text = `${option.help}${formatDefault(option)}`
  return `  ${names}${value}\n${wrap(text, width, INDENT)}`
}

/** Returns ` (default: x)`, or nothing if there is no default. */
export function formatDefault(option: Option): string {
  const { default: value, defaultText } = option
  const shown = defaultText ?? (value === undefined || value === null ? undefined : option.kind.format(value))
  return shown === undefined || shown === '' ? '' : ` (default: ${shown})`
}

function wrap(text: string, width: number, indent: number): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width - indent) {
      lines.push(line)
      line = word
    } else {
      line = line === '' ? word : `${line} ${word}`
    }
  }
  lines.push(line)
  return lines.map((each) => `${' '.repeat(indent)}${each}\n`).join('')
}
