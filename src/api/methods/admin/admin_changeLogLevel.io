// everywhere
>> {"jsonrpc":"2.0","id":406,"method":"admin_changeLogLevel","params":["INFO"]}
<< {"jsonrpc":"2.0","id":406,"result":"Success"}
// levels have their exact case
>> {"jsonrpc":"2.0","id":407,"method":"admin_changeLogLevel","params":["info"]}
<< {"jsonrpc":"2.0","id":407,"error":{"code":-32602,"message":"Invalid log level params (missing or incorrect)"}}
>> {"jsonrpc":"2.0","id":408,"method":"admin_changeLogLevel","params":["FOO"]}
<< {"jsonrpc":"2.0","id":408,"error":{"code":-32602,"message":"Invalid log level params (missing or incorrect)"}}
// only some loggers
>> {"jsonrpc":"2.0","id":409,"method":"admin_changeLogLevel","params":["DEBUG",["org.example"]]}
<< {"jsonrpc":"2.0","id":409,"result":"Success"}
>> {"jsonrpc":"2.0","id":413,"method":"admin_changeLogLevel","params":["INFO",[]]}
<< {"jsonrpc":"2.0","id":413,"result":"Success"}
>> {"jsonrpc":"2.0","id":410,"method":"admin_changeLogLevel","params":["INFO","x"]}
<< {"jsonrpc":"2.0","id":410,"error":{"code":-32602,"message":"Invalid log filter params"}}
// missing, null or no text
>> {"jsonrpc":"2.0","id":411,"method":"admin_changeLogLevel","params":[]}
<< {"jsonrpc":"2.0","id":411,"error":{"code":-32602,"message":"Invalid log level params (missing or incorrect)"}}
>> {"jsonrpc":"2.0","id":414,"method":"admin_changeLogLevel","params":[null]}
<< {"jsonrpc":"2.0","id":414,"error":{"code":-32602,"message":"Invalid log level params (missing or incorrect)"}}
>> {"jsonrpc":"2.0","id":412,"method":"admin_changeLogLevel","params":[5]}
<< {"jsonrpc":"2.0","id":412,"error":{"code":-32602,"message":"Invalid log level params (missing or incorrect)"}}
