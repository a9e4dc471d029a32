// the methods of this node
>> {"jsonrpc":"2.0","id":1,"method":"engine_exchangeCapabilities","params":[["engine_newPayloadV4"]]}
<< {"jsonrpc":"2.0","id":1,"result":["engine_forkchoiceUpdatedV1","engine_forkchoiceUpdatedV2","engine_forkchoiceUpdatedV3","engine_getBlobsV1","engine_getBlobsV2","engine_getBlobsV3","engine_getClientVersionV1","engine_getPayloadBodiesByHashV1","engine_getPayloadBodiesByRangeV1","engine_getPayloadV1","engine_getPayloadV2","engine_getPayloadV3","engine_getPayloadV4","engine_getPayloadV5","engine_newPayloadV1","engine_newPayloadV2","engine_newPayloadV3","engine_newPayloadV4"]}
// no list
>> {"jsonrpc":"2.0","id":2,"method":"engine_exchangeCapabilities","params":[]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Invalid params"}}
