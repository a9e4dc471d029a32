/** A plugin method: decoded here, run in the plugin's thread. */

import { serialize } from 'node:v8'
import { any, boolean, number, string, type ZodType } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { AddressWire, HashWire, parsedBy } from '#api/schema/values.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { type Method, Param } from '#jsonrpc/method.ts'
import type { DeclaredMethod } from '#plugins/declaration.ts'
import type { ParamTypes } from '#plugins/define-plugin.ts'
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

const EXPECTED: { readonly [Type in keyof ParamTypes]: string } = {
  address: 'an address: 0x and 40 hex digits',
  hash: 'a hash: 0x and 64 hex digits',
  data: 'bytes: 0x and an even number of hex digits',
  quantity: 'a quantity: 0x and hex digits',
  text: 'a text',
  boolean: 'true or false',
  number: 'a number',
  json: 'any JSON value but null',
}

export function pluginMethod({ name, summary, params }: DeclaredMethod): Method {
  return defineMethod({
    name,
    summary,
    needs: ['plugins'],
    params: Object.fromEntries(params.map(([param, type]) => [param, paramOf(type)])),
    result: any(),
    async *run({ plugins }, values) {
      const packed = serialize(values)
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
  const name = type.replace('?', '') as keyof ParamTypes
  const presence = { isRequired: true, expects: EXPECTED[name] }
  const param = new Param<unknown>(WIRE[name], 'INVALID_PARAMS', presence)
  return type.endsWith('?') ? param.optional() : param
}
