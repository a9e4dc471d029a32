import { Fault } from '#types/fault.ts'

/** The plugin cannot be loaded, started or verified. The node does not start unless an option allows it. */
export function pluginFault(sentence: string, options?: { cause?: unknown }): Fault<'PLUGIN_FAILED'> {
  return new Fault('PLUGIN_FAILED', { sentence }, options)
}
