// a call
>> {"jsonrpc":"2.0","id":1,"method":"debug_traceCall","params":[{"from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","to":"0x3333333333333333333333333333333333333333","gas":"0x186a0"},"latest",{"disableStack":true}]}
<< {"jsonrpc":"2.0","id":1,"result":{"gas":27045,"failed":false,"returnValue":"0x000000000000000000000000000000000000000000000000000000000000002c","structLogs":[{"pc":0,"op":"PUSH1","gas":79000,"gasCost":3,"depth":1},{"pc":2,"op":"SLOAD","gas":78997,"gasCost":2100,"depth":1,"storage":{"0x0000000000000000000000000000000000000000000000000000000000000000":"0x000000000000000000000000000000000000000000000000000000000000002b"}},{"pc":3,"op":"PUSH1","gas":76897,"gasCost":3,"depth":1},{"pc":5,"op":"ADD","gas":76894,"gasCost":3,"depth":1},{"pc":6,"op":"DUP1","gas":76891,"gasCost":3,"depth":1},{"pc":7,"op":"PUSH1","gas":76888,"gasCost":3,"depth":1},{"pc":9,"op":"SSTORE","gas":76885,"gasCost":2900,"depth":1,"storage":{"0x0000000000000000000000000000000000000000000000000000000000000000":"0x000000000000000000000000000000000000000000000000000000000000002c"}},{"pc":10,"op":"PUSH1","gas":73985,"gasCost":3,"depth":1},{"pc":12,"op":"MSTORE","gas":73982,"gasCost":6,"depth":1},{"pc":13,"op":"PUSH1","gas":73976,"gasCost":3,"depth":1},{"pc":15,"op":"PUSH1","gas":73973,"gasCost":3,"depth":1},{"pc":17,"op":"PUSH1","gas":73970,"gasCost":3,"depth":1},{"pc":19,"op":"LOG1","gas":73967,"gasCost":1006,"depth":1},{"pc":20,"op":"PUSH1","gas":72961,"gasCost":3,"depth":1},{"pc":22,"op":"PUSH1","gas":72958,"gasCost":3,"depth":1},{"pc":24,"op":"RETURN","gas":72955,"gasCost":0,"depth":1}]}}
// with state of its own
>> {"jsonrpc":"2.0","id":2,"method":"debug_traceCall","params":[{"to":"0x2222222222222222222222222222222222222222"},"latest",{"stateOverrides":{"0x2222222222222222222222222222222222222222":{"code":"0x60016000f3"}}}]}
<< {"jsonrpc":"2.0","id":2,"result":{"gas":21009,"failed":false,"returnValue":"0x00","structLogs":[{"pc":0,"op":"PUSH1","gas":29979000,"gasCost":3,"depth":1,"stack":[]},{"pc":2,"op":"PUSH1","gas":29978997,"gasCost":3,"depth":1,"stack":["0x1"]},{"pc":4,"op":"RETURN","gas":29978994,"gasCost":3,"depth":1,"stack":["0x1","0x0"]}]}}
// a creation of nothing
>> {"jsonrpc":"2.0","id":3,"method":"debug_traceCall","params":[{"from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","data":"0x"}]}
<< {"jsonrpc":"2.0","id":3,"result":{"gas":53000,"failed":false,"returnValue":"0x","structLogs":[]}}
// callTracer
>> {"jsonrpc":"2.0","id":4,"method":"debug_traceCall","params":[{"to":"0x4444444444444444444444444444444444444444"},"latest",{"tracer":"callTracer"}]}
<< {"jsonrpc":"2.0","id":4,"result":{"from":"0x0000000000000000000000000000000000000000","gas":"0x1c9c380","gasUsed":"0x5244","to":"0x4444444444444444444444444444444444444444","input":"0x","output":"0x08c379a0000000000000000000000000000000000000000000000000000000000000002000000000000000000000000000000000000000000000000000000000000000026e6f000000000000000000000000000000000000000000000000000000000000","error":"execution reverted","revertReason":"no","value":"0x0","type":"CALL"}}
// unknown block
>> {"jsonrpc":"2.0","id":5,"method":"debug_traceCall","params":[{"from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","to":"0x3333333333333333333333333333333333333333","gas":"0x186a0"},"0x64"]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32000,"message":"Block not found"}}
// not a call
>> {"jsonrpc":"2.0","id":6,"method":"debug_traceCall","params":["x"]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"Invalid call params"}}
