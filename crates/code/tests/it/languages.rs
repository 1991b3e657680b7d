//! The same small program in each language: a session with a login, a shape, a constant, and something
//! that calls it.

pub(crate) struct Sample {
    pub(crate) path: &'static str,
    pub(crate) text: &'static str,
    /// Name, kind, container, documentation.
    pub(crate) symbols:
        &'static [(&'static str, &'static str, Option<&'static str>, Option<&'static str>)],
    /// The line, usage and place of each use of `login`.
    pub(crate) uses: &'static [(usize, &'static str, Option<&'static str>)],
    /// What `start` calls.
    pub(crate) calls: &'static [&'static str],
}

pub(crate) const ALL: &[Sample] =
    &[RUST, PYTHON, JAVASCRIPT, TYPESCRIPT, TSX, GO, JAVA, CSHARP, C, CPP];

const RUST: Sample = Sample {
    path: "src/session.rs",
    text: r#"use crate::other::login;
/// A session of a user. It ends.
#[derive(Debug)]
pub struct Session<T> {
    pub user: T,
}
pub enum Shape { Round, Square }
pub const LIMIT: usize = 3;
impl<T: Clone> Session<T> {
    /// Lets somebody in.
    pub fn login(&self, name: &str) -> bool {
        self.check(name) // login
    }
}
pub trait Guard { fn allow(&self) -> bool; }
mod inner {
    pub type Id = u64;
    pub(crate) fn start(session: &super::Session<u8>) {
        println!("login {}", format(1));
        if session.login("login") {
            crate::store::save::<u8>(&Shape::Round);
        }
    }
}
macro_rules! shout { () => {}; }
"#,
    symbols: &[
        ("Session", "struct", None, Some("A session of a user.")),
        ("user", "field", Some("Session"), None),
        ("Shape", "enum", None, None),
        ("Round", "variant", Some("Shape"), None),
        ("LIMIT", "constant", None, None),
        ("login", "method", Some("Session"), Some("Lets somebody in.")),
        ("Guard", "trait", None, None),
        ("allow", "method", Some("Guard"), None),
        ("inner", "module", None, None),
        ("Id", "type", Some("inner"), None),
        ("start", "function", Some("inner"), None),
        ("shout", "macro", None, None),
    ],
    uses: &[(1, "import", None), (20, "call", Some("inner::start"))],
    calls: &["println", "format", "login", "save"],
};

const PYTHON: Sample = Sample {
    path: "pkg/session.py",
    text: r#"from other import login
LIMIT = 3

class Session(Base):
    """A session of a user. It ends."""
    retries = 1

    @property
    def login(self, name):
        '''Lets somebody in.

        login
        '''
        return self.check(name)  # login

def start(session: Session) -> None:
    text = "login"
    shown = f"{session.login(text)} login"
    save(Session())
"#,
    symbols: &[
        ("LIMIT", "constant", None, None),
        ("Session", "class", None, Some("A session of a user.")),
        ("retries", "field", Some("Session"), None),
        ("login", "method", Some("Session"), Some("Lets somebody in.")),
        ("start", "function", None, None),
    ],
    uses: &[(1, "import", None), (18, "call", Some("start"))],
    calls: &["login", "save", "Session"],
};

const JAVASCRIPT: Sample = Sample {
    path: "lib/session.js",
    text: r#"import { login } from './other';
/**
 * A session of a user. It ends.
 * @param x
 */
export class Session {
  retries = 1;
  // Lets somebody in.
  login(name) {
    return this.check(name); // login
  }
}
const LIMIT = 3;
export const start = async (session) => {
  const text = 'login';
  const shown = `${session.login(text)} login`;
  return save(new Session());
};
exports.stop = function () {};
Session.prototype.close = function () {};
function* each() {}
"#,
    symbols: &[
        ("Session", "class", None, Some("A session of a user.")),
        ("retries", "field", Some("Session"), None),
        ("login", "method", Some("Session"), Some("Lets somebody in.")),
        ("LIMIT", "constant", None, None),
        ("start", "function", None, None),
        ("stop", "function", None, None),
        ("close", "method", Some("Session"), None),
        ("each", "function", None, None),
    ],
    uses: &[(1, "import", None), (16, "call", Some("start"))],
    calls: &["login", "save", "Session"],
};

const TYPESCRIPT: Sample = Sample {
    path: "lib/session.ts",
    text: r#"import type { login } from './other';
export interface Guard { allow(name: string): boolean; level: number }
export type Id = string;
export enum Shape { Round = 1, Square }
/** A session of a user. It ends. */
@Injectable()
export abstract class Session implements Guard {
  private retries: number = 1;
  /** Lets somebody in. */
  public async login<T>(name: string): Promise<T> {
    return this.check<T>(name); // login
  }
}
namespace inner {
  export function start(session: Session): void {
    const text = "login";
    session.login<number>(text);
    save(new Session());
  }
}
"#,
    symbols: &[
        ("Guard", "interface", None, None),
        ("allow", "method", Some("Guard"), None),
        ("level", "field", Some("Guard"), None),
        ("Id", "type", None, None),
        ("Shape", "enum", None, None),
        ("Round", "variant", Some("Shape"), None),
        ("Session", "class", None, Some("A session of a user.")),
        ("retries", "field", Some("Session"), None),
        ("login", "method", Some("Session"), Some("Lets somebody in.")),
        ("inner", "module", None, None),
        ("start", "function", Some("inner"), None),
    ],
    uses: &[(1, "import", None), (17, "call", Some("inner.start"))],
    calls: &["login", "save", "Session"],
};

const TSX: Sample = Sample {
    path: "lib/form.tsx",
    text: r#"class Session { /** Lets somebody in. */
  login = () => { this.check(); }
}
export function start(props: Props) {
  return <Form onSubmit={() => props.session.login()}>login</Form>;
}
"#,
    symbols: &[
        ("Session", "class", None, None),
        ("login", "method", Some("Session"), None),
        ("start", "function", None, None),
    ],
    uses: &[(5, "call", Some("start"))],
    calls: &["login"],
};

const GO: Sample = Sample {
    path: "pkg/session.go",
    text: r#"package session

import "example.com/login"

// Session is a session of a user. It ends.
type Session struct {
	User string
}

type Guard interface {
	Allow(name string) bool
}

type Id = string

const (
	Limit = 3
)

var retries = 1

// login lets somebody in.
func (s *Session) login(name string) bool {
	return s.check(name) // login
}

func start(s *Session) {
	text := "login"
	s.login(text)
	store.Save(Session{})
}
"#,
    symbols: &[
        ("Session", "struct", None, Some("Session is a session of a user.")),
        ("User", "field", Some("Session"), None),
        ("Guard", "interface", None, None),
        ("Allow", "method", Some("Guard"), None),
        ("Id", "type", None, None),
        ("Limit", "constant", None, None),
        ("retries", "variable", None, None),
        ("login", "method", Some("Session"), Some("login lets somebody in.")),
        ("start", "function", None, None),
    ],
    uses: &[(29, "call", Some("start"))],
    calls: &["login", "Save"],
};

const JAVA: Sample = Sample {
    path: "src/main/Session.java",
    text: r#"package a;
import static b.Other.login;
/**
 * A session of a user. It ends.
 */
@Entity
public class Session extends Base implements Guard {
    static final int LIMIT = 3;
    private int retries;
    /** Lets somebody in. */
    @Override
    public boolean login(String name) {
        return check(name); // login
    }
    void start(Session session) {
        String text = "login";
        session.login(text);
        Store.save(new Session());
    }
}
interface Guard { boolean allow(String name); }
enum Shape { ROUND, SQUARE }
record Point(int x) {}
"#,
    symbols: &[
        ("Session", "class", None, Some("A session of a user.")),
        ("LIMIT", "constant", Some("Session"), None),
        ("retries", "field", Some("Session"), None),
        ("login", "method", Some("Session"), Some("Lets somebody in.")),
        ("start", "method", Some("Session"), None),
        ("Guard", "interface", None, None),
        ("allow", "method", Some("Guard"), None),
        ("Shape", "enum", None, None),
        ("ROUND", "variant", Some("Shape"), None),
        ("Point", "class", None, None),
    ],
    uses: &[(2, "import", None), (17, "call", Some("Session.start"))],
    calls: &["login", "save", "Session"],
};

const CSHARP: Sample = Sample {
    path: "App/Session.cs",
    text: r#"using static Other.login;
namespace App.Web
{
    /// <summary>
    /// A session of a user. It ends.
    /// </summary>
    [Serializable]
    public class Session : Base
    {
        private const int LIMIT = 3;
        public int Retries { get; set; }
        /// <summary>Lets somebody in.</summary>
        public bool login<T>(string name)
        {
            return Check(name); // login
        }
        public void start(Session session)
        {
            var text = "login";
            var shown = $"{session.login<int>(text)} login";
            Store.Save(new Session());
        }
    }
    interface IGuard { bool Allow(string name); }
    enum Shape { Round, Square }
    struct Point { }
    record Pair(int X);
}
"#,
    symbols: &[
        ("App.Web", "module", None, None),
        ("Session", "class", Some("App.Web"), Some("A session of a user.")),
        ("LIMIT", "constant", Some("App.Web.Session"), None),
        ("Retries", "field", Some("App.Web.Session"), None),
        ("login", "method", Some("App.Web.Session"), Some("Lets somebody in.")),
        ("start", "method", Some("App.Web.Session"), None),
        ("IGuard", "interface", Some("App.Web"), None),
        ("Allow", "method", Some("App.Web.IGuard"), None),
        ("Shape", "enum", Some("App.Web"), None),
        ("Round", "variant", Some("App.Web.Shape"), None),
        ("Point", "struct", Some("App.Web"), None),
        ("Pair", "class", Some("App.Web"), None),
    ],
    uses: &[(1, "import", None), (20, "call", Some("App.Web.Session.start"))],
    calls: &["login", "Save", "Session"],
};

const C: Sample = Sample {
    path: "src/session.c",
    text: r#"#include "login.h"
#define LIMIT 3
#define TWICE(x) ((x) * 2)
/* A session of a user. It ends. */
struct session {
    char *user;
};
typedef struct { int x; } point_t;
enum shape { ROUND, SQUARE };
static int retries = 1;
int stop(struct session *s);
/**
 * Lets somebody in.
 */
static const char *login(struct session *s, const char *name)
{
    return check(s, name); // login
}
void start(struct session *s)
{
    const char *text = "login";
    login(s, text);
    s->save(TWICE(1));
}
"#,
    symbols: &[
        ("LIMIT", "constant", None, None),
        ("TWICE", "macro", None, None),
        ("session", "struct", None, Some("A session of a user.")),
        ("user", "field", Some("session"), None),
        ("point_t", "struct", None, None),
        ("shape", "enum", None, None),
        ("ROUND", "variant", Some("shape"), None),
        ("retries", "variable", None, None),
        ("stop", "function", None, None),
        ("login", "function", None, Some("Lets somebody in.")),
        ("start", "function", None, None),
    ],
    uses: &[(22, "call", Some("start"))],
    calls: &["login", "save", "TWICE"],
};

const CPP: Sample = Sample {
    path: "src/session.cpp",
    text: r#"#include <login>
namespace app {
// A session of a user. It ends.
template <typename T>
class Session : public Base {
public:
    bool allow(const T &name);
    int retries;
};
using Id = int;
enum class Shape { Round };
}
// Lets somebody in.
bool app::Gate::login(const std::string &name)
{
    return check(name); // login
}
void start(app::Gate &gate)
{
    auto text = "login";
    gate.login(text);
    store::save<int>(new Point(1));
}
"#,
    symbols: &[
        ("app", "module", None, None),
        ("Session", "class", Some("app"), Some("A session of a user.")),
        ("allow", "method", Some("app::Session"), None),
        ("retries", "field", Some("app::Session"), None),
        ("Id", "type", Some("app"), None),
        ("Shape", "enum", Some("app"), None),
        ("Round", "variant", Some("app::Shape"), None),
        ("login", "method", Some("app::Gate"), Some("Lets somebody in.")),
        ("start", "function", None, None),
    ],
    uses: &[(21, "call", Some("start"))],
    calls: &["login", "save", "Point"],
};
