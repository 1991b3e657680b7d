//! An MCP server with a few tools, on the SDK's own server side.

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorCode,
        JsonObject, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
        Tool,
    },
    service::RequestContext,
};

#[derive(Clone, Copy, Default)]
pub(crate) struct Tools;

const NAMES: [&str; 7] = ["echo", "json", "words", "fails", "hangs", "floods", "dies"];

impl ServerHandler for Tools {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tool = |name| Tool::new(name, "a tool for tests", JsonObject::new());
        Ok(ListToolsResult::with_all_items(NAMES.into_iter().map(tool).collect()))
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = serde_json::Value::Object(call.arguments.unwrap_or_default());
        let result = match call.name.as_ref() {
            "echo" => CallToolResult::structured(arguments),
            "json" => text(r#"{"price": 1.10}"#),
            "words" => text("It is fine."),
            "fails" => CallToolResult::error(vec![ContentBlock::text("no such customer")]),
            "hangs" => std::future::pending().await,
            "floods" => text(&"x".repeat(4 << 20)),
            "dies" => std::process::exit(3),
            name => {
                let message = format!("tool not found: {name}");
                return Err(ErrorData::new(ErrorCode::INVALID_PARAMS, message, None));
            }
        };
        Ok(result.into())
    }
}

fn text(text: &str) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}
