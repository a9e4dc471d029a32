import { array, number, object, string, enum as zenum } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { rpcFault } from '#jsonrpc/errors.ts'

export default defineMethod({
  name: 'admin_doctor',
  summary:
    'The findings of `cairn doctor` on the running node, at most a minute old. The key and the signer are not tried again.',
  needs: ['doctor'],
  cost: 'heavy',
  params: {},
  result: object({
    at: string().meta({ description: 'when the checks began, as ISO 8601' }),
    checks: number().meta({ description: 'how many checks ran' }),
    findings: array(
      object({
        id: string().meta({ description: 'the id of the check' }),
        severity: zenum(['error', 'warning']),
        problem: string(),
        remedy: string(),
      }),
    ),
  }),
  run: async ({ doctor }) => {
    const report = await doctor.report()
    if (report === undefined) {
      throw rpcFault('METHOD_NOT_ENABLED', { reason: 'an embedded node has no doctor' })
    }
    const { atMs, checks, findings } = report
    return { at: new Date(atMs).toISOString(), checks, findings: [...findings] }
  },
})
