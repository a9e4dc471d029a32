import { Fault } from '#types/fault.ts'

/** The command line, environment, configuration file or profile contains an unusable value. */
export function usageFault(sentence: string, options?: { cause?: unknown }): Fault<'USAGE'> {
  return new Fault('USAGE', { sentence }, options)
}
