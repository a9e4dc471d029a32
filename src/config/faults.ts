import { Fault } from '#types/fault.ts'

/** The command line, environment, configuration file or profile holds something that cannot be used. */
export function usageFault(sentence: string, options?: { cause?: unknown }): Fault<'USAGE'> {
  return new Fault('USAGE', { sentence }, options)
}
