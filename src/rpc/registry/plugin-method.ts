/** A method that a plugin brought: decoded here, run in the thread of the plugin. */
import { any, boolean, number, string, type ZodType } from 'zod'
import { packValue } from '#platform/channel/packed-value.ts'
import type { DeclaredMethod } from '#plugins/declaration.ts'
import type { ParamTypes } from '#plugins/define-plugin.ts'
import { defineMethod, type Method } from '#rpc/define-method.ts'
import { rpcFault } from '#rpc/errors.ts'
import { Param } from '#rpc/param.ts'
import { AddressWire } from '#rpc/schema/address.ts'
import { HashWire } from '#rpc/schema/hash.ts'
import { parsedBy } from '#rpc/schema/parsed-text.ts'
import { formatData, parseData, parseQuantityLenient } from '#types/hex.ts'

/** They pass through main, which copies them twice. */
const PARAMS_MAX_BYTES = 1024 * 1024

const WIRE: { readonly [Type in keyof ParamTypes]: ZodType } = {
  address: AddressWire,
  hash: HashWire,
  data: string().transform(parsedBy((text: string) => formatData(parseData(text)))),
  quantity: string().transform(parsedBy((text: string) => parseQuantityLenient(text))),
  text: string(),
  boolean: boolean(),
  number: number(),
  json: any(),
}

export function pluginMethod({ name, summary, params }: DeclaredMethod): Method {
  return defineMethod({
    name,
    summary,
    needs: ['plugins'],
    params: Object.fromEntries(params.map(([param, type]) => [param, paramOf(type)])),
    result: any(),
    async *run({ plugins }, values) {
      const packed = packValue(values)
      if (packed.length > PARAMS_MAX_BYTES) {
        throw rpcFault('LIMIT_EXCEEDED', {
          reason: `parameters of a plugin's method may have ${PARAMS_MAX_BYTES} bytes, not ${packed.length}`,
        })
      }
      const answer = await plugins.call(name, packed)
      if (answer === undefined) {
        throw rpcFault('PLUGIN_INTERNAL_ERROR', { reason: 'the plugin does not answer' })
      }
      if (answer.ok) {
        yield answer.text
        return
      }
      const { code, message, dataText } = answer
      const data = dataText === undefined ? undefined : JSON.parse(dataText)
      throw rpcFault('PLUGIN_INTERNAL_ERROR', { code, message, ...(data !== undefined && { data }) })
    },
  })
}

function paramOf(type: string): Param<unknown> {
  const param = new Param<unknown>(WIRE[type.replace('?', '') as keyof ParamTypes], 'INVALID_PARAMS')
  return type.endsWith('?') ? param.optional() : param
}
