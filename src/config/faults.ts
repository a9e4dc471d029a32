import { Fault } from '#types/fault.ts'

/** Kinds: what the person gave cannot be used (`USAGE`), or it asks for something that is not there. */
export type ConfigFaultKind = 'USAGE' | 'CONFIG_FILE'

/** The command line, environment, configuration file or profile holds something that cannot be used. */
export function usageFault(sentence: string, options?: { cause?: unknown }): Fault<ConfigFaultKind> {
  return new Fault('USAGE', { sentence }, options)
}
