import { array, object, string } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { DataText } from '#api/schema/values.ts'
import { Param } from '#jsonrpc/method.ts'

const Version = object({ code: string(), name: string(), version: string(), commit: DataText }).meta({
  title: 'client version',
})

/** Clients write the code into the graffiti of their blocks. */
const CODE = 'CN'
/** A package does not know the commit that it was built from. */
const UNKNOWN_COMMIT = '0x00000000'

export default defineMethod({
  name: 'engine_getClientVersionV1',
  summary: 'Returns the name and version of this node.',
  needs: ['node'],
  params: {
    client: new Param(
      object({ code: string(), name: string(), version: string(), commit: string() }),
      'INVALID_PARAMS',
    ),
  },
  result: array(Version),
  run: ({ node }) => {
    const version =
      node
        .clientVersion()
        .split('/')
        .find((part) => /^v\d/.test(part)) ?? 'v0'
    return [{ code: CODE, name: 'Cairn', version, commit: UNKNOWN_COMMIT }]
  },
})
