import { array, looseObject, object, string } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { METHOD_EXAMPLES } from '#api/registry/method-examples.generated.ts'
import type { Method } from '#jsonrpc/method.ts'
import { describeMethods, type OpenRpcDocument } from '#jsonrpc/registry/open-rpc.ts'

/** Made once per transport, since it takes a tenth of a second. */
const documents = new WeakMap<readonly Method[], OpenRpcDocument>()

function documentOf(methods: readonly Method[]): OpenRpcDocument {
  const known = documents.get(methods)
  if (known !== undefined) return known
  const document = describeMethods(methods, METHOD_EXAMPLES)
  documents.set(methods, document)
  return document
}

export default defineMethod({
  name: 'rpc.discover',
  summary: 'The OpenRPC document of the methods on this transport.',
  aliases: ['rpc_discover'],
  needs: ['apis'],
  params: {},
  result: object({
    openrpc: string(),
    info: looseObject({ title: string(), version: string() }),
    methods: array(looseObject({ name: string() })),
    components: object({ schemas: looseObject({}) }),
  }).meta({ title: 'OpenRPC document' }),
  run: ({ apis }) => documentOf(apis.methods),
})
