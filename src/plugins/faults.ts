import { Fault } from '#types/fault.ts'

/** `PLUGIN_FAILED`: it cannot be loaded, started or verified, and the node does not start without being told to. */
export type PluginFaultKind = 'PLUGIN_FAILED'

export function pluginFault(sentence: string, options?: { cause?: unknown }): Fault<PluginFaultKind> {
  return new Fault('PLUGIN_FAILED', { sentence }, options)
}
