// the head, and a block to build
>> {"jsonrpc":"2.0","id":1,"method":"engine_forkchoiceUpdatedV1","params":[{"headBlockHash":"0x1a24c867ee802815927593f45d7bcba732f9105376a2515345b317dcca85b6bd","safeBlockHash":"0x1a24c867ee802815927593f45d7bcba732f9105376a2515345b317dcca85b6bd","finalizedBlockHash":"0x1a24c867ee802815927593f45d7bcba732f9105376a2515345b317dcca85b6bd"},{"timestamp":"0x5","prevRandao":"0x9999999999999999999999999999999999999999999999999999999999999999","suggestedFeeRecipient":"0x1111111111111111111111111111111111111111"}]}
<< {"jsonrpc":"2.0","id":1,"result":{"payloadStatus":{"status":"VALID","latestValidHash":"0x1a24c867ee802815927593f45d7bcba732f9105376a2515345b317dcca85b6bd","validationError":null},"payloadId":"0x14555977502365a1"}}
// the head alone
>> {"jsonrpc":"2.0","id":2,"method":"engine_forkchoiceUpdatedV1","params":[{"headBlockHash":"0x1a24c867ee802815927593f45d7bcba732f9105376a2515345b317dcca85b6bd","safeBlockHash":"0x0000000000000000000000000000000000000000000000000000000000000000","finalizedBlockHash":"0x0000000000000000000000000000000000000000000000000000000000000000"},null]}
<< {"jsonrpc":"2.0","id":2,"result":{"payloadStatus":{"status":"VALID","latestValidHash":"0x1a24c867ee802815927593f45d7bcba732f9105376a2515345b317dcca85b6bd","validationError":null},"payloadId":null}}
// a head that is not known
>> {"jsonrpc":"2.0","id":3,"method":"engine_forkchoiceUpdatedV1","params":[{"headBlockHash":"0x9999999999999999999999999999999999999999999999999999999999999999","safeBlockHash":"0x0000000000000000000000000000000000000000000000000000000000000000","finalizedBlockHash":"0x0000000000000000000000000000000000000000000000000000000000000000"},null]}
<< {"jsonrpc":"2.0","id":3,"result":{"payloadStatus":{"status":"SYNCING","latestValidHash":null,"validationError":null},"payloadId":null}}
// a safe block that is not known
>> {"jsonrpc":"2.0","id":4,"method":"engine_forkchoiceUpdatedV1","params":[{"headBlockHash":"0x1a24c867ee802815927593f45d7bcba732f9105376a2515345b317dcca85b6bd","safeBlockHash":"0x9999999999999999999999999999999999999999999999999999999999999999","finalizedBlockHash":"0x0000000000000000000000000000000000000000000000000000000000000000"},null]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-38002,"message":"Invalid forkchoice state"}}
// a block that is not later than the head
>> {"jsonrpc":"2.0","id":5,"method":"engine_forkchoiceUpdatedV1","params":[{"headBlockHash":"0x1a24c867ee802815927593f45d7bcba732f9105376a2515345b317dcca85b6bd","safeBlockHash":"0x0000000000000000000000000000000000000000000000000000000000000000","finalizedBlockHash":"0x0000000000000000000000000000000000000000000000000000000000000000"},{"timestamp":"0x0","prevRandao":"0x9999999999999999999999999999999999999999999999999999999999999999","suggestedFeeRecipient":"0x1111111111111111111111111111111111111111"}]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-38003,"message":"Invalid payload attributes"}}
// a block of another fork
>> {"jsonrpc":"2.0","id":6,"method":"engine_forkchoiceUpdatedV1","params":[{"headBlockHash":"0x1a24c867ee802815927593f45d7bcba732f9105376a2515345b317dcca85b6bd","safeBlockHash":"0x0000000000000000000000000000000000000000000000000000000000000000","finalizedBlockHash":"0x0000000000000000000000000000000000000000000000000000000000000000"},{"timestamp":"0x2d","prevRandao":"0x9999999999999999999999999999999999999999999999999999999999999999","suggestedFeeRecipient":"0x1111111111111111111111111111111111111111"}]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-38005,"message":"Unsupported fork","data":"block timestamp 45 is after the first unsupported milestone: SHANGHAI at timestamp 10"}}
// no choice
>> {"jsonrpc":"2.0","id":7,"method":"engine_forkchoiceUpdatedV1","params":[null,null]}
<< {"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"Invalid engine forkchoice updated params"}}
