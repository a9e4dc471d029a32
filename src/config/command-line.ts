import { usageFault } from './faults.ts'
import { formerOption } from './former-options.ts'
import { suggestion } from './nearest.ts'
import { type Option, tomlKey } from './option.ts'

/** The source of a value; every message about the value names it. */
export interface Origin {
  readonly source: 'command line' | 'environment' | 'config file' | 'profile' | 'default'
  /** The flag, variable, file or profile as the person wrote it. */
  readonly name: string
}

/** One option as one source gave it, with its uninterpreted text. */
export interface Given {
  readonly option: Option
  readonly text: string
  readonly origin: Origin
}

/** All accepted names of all options. Two options with the same name are a bug, found at start. */
export class OptionIndex {
  readonly #byName = new Map<string, Option>()
  readonly all: readonly Option[]

  constructor(options: Iterable<Option>) {
    this.all = [...options]
    for (const option of this.all) {
      for (const name of [option.flag, ...option.aliases]) {
        if (this.#byName.has(name)) throw new Error(`two options are declared as ${name}`)
        this.#byName.set(name, option)
      }
    }
  }

  find(name: string): Option | undefined {
    return this.#byName.get(name)
  }

  names(): Iterable<string> {
    return this.#byName.keys()
  }
}

export interface ParsedArguments {
  readonly given: Given[]
  /** The words after the options: the command and its arguments. */
  readonly words: string[]
}

export interface ParseOptions {
  /** If true, the first word ends the options. */
  readonly stopAtWord?: boolean
  /** Returns true for unknown names that a second reading handles; their values are skipped. */
  readonly passesOver?: (name: string) => boolean
  /** Returns where an unknown name belongs, as a sentence after a space. */
  readonly elsewhere?: (name: string) => string | undefined
}

/** Reads `--name=value`, `--name value` and bare switches. */
export function parseArguments(
  args: readonly string[],
  index: OptionIndex,
  { stopAtWord = false, passesOver, elsewhere }: ParseOptions = {},
): ParsedArguments {
  const texts = new Map<Option, { name: string; values: string[] }>()
  const words: string[] = []
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!
    if (!arg.startsWith('-') || arg === '-') {
      if (stopAtWord) return { given: toGiven(texts), words: args.slice(at) }
      words.push(arg)
      continue
    }
    const equals = arg.indexOf('=')
    const name = equals < 0 ? arg : arg.slice(0, equals)
    const option = index.find(name)
    if (!option && passesOver?.(name)) {
      const next = args[at + 1]
      if (equals < 0 && next !== undefined && !next.startsWith('-')) at++
      continue
    }
    if (!option) {
      const former = formerOption(tomlKey(name), '--')
      const hint = elsewhere?.(name) ?? (former && ` ${former}`) ?? suggestion(name, index.names())
      throw usageFault(`Unknown option: '${arg}'.${hint}`)
    }
    const seen = texts.get(option)
    if (seen && !option.kind.list) {
      throw usageFault(`Option '${option.flag}' should be specified only once; remove all but one of them.`)
    }
    const { value, used } =
      equals < 0 ? followingValue(option, name, args[at + 1]) : { value: arg.slice(equals + 1), used: 0 }
    at += used
    if (seen) seen.values.push(value)
    else texts.set(option, { name, values: [value] })
  }
  return { given: toGiven(texts), words }
}

function followingValue(
  option: Option,
  name: string,
  next: string | undefined,
): { value: string; used: number } {
  const { bare } = option.kind
  if (bare !== undefined) {
    // A switch takes the next word only if it is true or false.
    return next === 'true' || next === 'false' ? { value: next, used: 1 } : { value: bare, used: 0 }
  }
  if (next === undefined || (next.startsWith('--') && next.length > 2)) {
    throw usageFault(`Missing required parameter for option '${name}': write ${name}=<${option.label}>.`)
  }
  return { value: next, used: 1 }
}

function toGiven(texts: Map<Option, { name: string; values: string[] }>): Given[] {
  return [...texts].map(([option, { name, values }]) => ({
    option,
    text: values.join(','),
    origin: { source: 'command line', name },
  }))
}
