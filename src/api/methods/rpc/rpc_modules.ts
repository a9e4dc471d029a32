import { literal, record, string } from 'zod'
import { defineMethod } from '#api/define-method.ts'

/** Besu reports this constant for every API. */
const API_VERSION = '1.0'

export default defineMethod({
  name: 'rpc_modules',
  summary: 'The APIs enabled on this transport, with their versions.',
  needs: ['apis'],
  params: {},
  result: record(string(), literal(API_VERSION)),
  run: ({ apis }) => Object.fromEntries(apis.enabled.map((api) => [api.toLowerCase(), API_VERSION] as const)),
})
