import { messageTarget } from './message-target.ts'

export default await messageTarget('ibft2')
