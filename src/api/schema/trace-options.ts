/** The tracing options of the DEBUG methods. Unknown members are ignored. */

import { array, boolean, int, object, string, unknown } from 'zod'
import { Param } from '#jsonrpc/method.ts'
import { StateOverridesWire } from './call-object.ts'

const TRACERS = ['callTracer', 'flatCallTracer', 'prestateTracer', '4byteTracer', 'noopTracer'] as const
export type TracerName = (typeof TRACERS)[number]

const TracerConfig = object({
  onlyTopCall: boolean().nullish(),
  withLog: boolean().nullish(),
  diffMode: boolean().nullish(),
  disableCode: boolean().nullish(),
  disableStorage: boolean().nullish(),
})

const TraceOptionsWire = object({
  disableStorage: boolean().nullish(),
  disableMemory: boolean().nullish(),
  enableMemory: boolean().nullish(),
  disableStack: boolean().nullish(),
  enableReturnData: boolean().nullish(),
  limit: int().nonnegative().nullish(),
  opcodes: array(string()).max(256).nullish(),
  tracer: string()
    .refine((name) => name === '' || TRACERS.some((tracer) => tracer === name))
    .meta({ title: 'tracer', enum: [...TRACERS] })
    .nullish(),
  tracerConfig: TracerConfig.nullish(),
  stateOverrides: StateOverridesWire.nullish(),
  blockOverrides: unknown().optional(),
})
  .transform((options) => {
    const config = options.tracerConfig ?? {}
    return {
      /** Undefined for struct logs. */
      tracer: (options.tracer || undefined) as TracerName | undefined,
      structLogs: {
        stack: options.disableStack !== true,
        memory: options.enableMemory === true && options.disableMemory !== true,
        hasStorage: options.disableStorage !== true,
        returnData: options.enableReturnData === true,
        limit: options.limit ?? 0,
        opcodes: new Set((options.opcodes ?? []).map((name) => name.toUpperCase())),
      },
      onlyTopCall: config.onlyTopCall === true,
      withLog: config.withLog === true,
      diffMode: config.diffMode === true,
      prestate: { disableCode: config.disableCode === true, disableStorage: config.disableStorage === true },
      stateOverrides: options.stateOverrides ?? undefined,
    }
  })
  .meta({ title: 'trace options' })

export type TraceOptions = ReturnType<typeof TraceOptionsWire.parse>

export const TraceOptions = new Param(TraceOptionsWire, 'INVALID_TRANSACTION_TRACE_PARAMS').default(
  TraceOptionsWire.parse({}),
)
