#!/bin/sh
# Installs the missing tools, then runs `cargo xtask "$@"`. `./x help` lists the commands.
#   X_TOOLCHAIN=debian  uses Debian's compiler, without rustup
#   X_TOOLCHAIN=rustup  uses the pinned compiler, or fails
# X_USR replaces `/usr` in the tests of this script.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
usr=${X_USR:-/usr}
debian_packages="rustc-web cargo-web rust-web-src llvm-22"
oldest_minor=96 # of rustc 1.x: `rust-version` in Cargo.toml

say() { echo "x: $*" >&2; }
die() { say "$*"; exit 1; }

# Prints the value of a key in rust-toolchain.toml, an array as words.
pinned() {
    tr '\n' ' ' <"$root/rust-toolchain.toml" | sed -n \
        -e "s/.* $1 *= *\[\([^]]*\)\].*/\1/p" -e "s/.* $1 *= *\"\([^\"]*\)\".*/\1/p" | tr -d '",'
}

# Sets `missing` to the components that the pinned toolchain lacks. Fails if the toolchain is not installed.
missing_components() {
    rustc=$(RUSTUP_AUTO_INSTALL=0 rustup which --toolchain "$channel" rustc 2>/dev/null) || return 1
    lib=${rustc%/bin/rustc}/lib/rustlib
    missing=
    [ -f "$lib/src/rust/library/core/Cargo.toml" ] || missing="$missing rust-src"
    for tool in llvm-link opt llc; do
        set -- "$lib"/*/bin/"$tool"
        [ -x "$1" ] || { missing="$missing llvm-tools"; break; }
    done
}

# Removes the toolchain that this run began to install, so that no incomplete toolchain stays behind.
undo_install() {
    trap - INT TERM HUP
    rustup toolchain uninstall "$channel" >/dev/null 2>&1 || true
}

# Installs the pinned toolchain if it is missing or incomplete. On failure, `why` says what is missing.
ready_rustup() {
    command -v rustup >/dev/null || { why="rustup is not installed (get it from https://rustup.rs)"; return 1; }
    channel=$(pinned channel)
    components=$(pinned components)
    if missing_components; then
        [ -n "$missing" ] || return 0
        # shellcheck disable=SC2086 # a list of words
        rustup component add --toolchain "$channel" $missing >&2 ||
            { why="\`rustup component add --toolchain $channel$missing\` failed"; return 1; }
        missing_components && [ -z "$missing" ] && return 0
        why="the toolchain $channel still lacks$missing after \`rustup component add\`"
        return 1
    fi
    install="rustup toolchain install $channel --profile $(pinned profile) --no-self-update"
    for component in $components; do install="$install --component $component"; done
    say "$install"
    trap 'undo_install; exit 130' INT TERM HUP
    if $install >&2 && missing_components && [ -z "$missing" ]; then
        trap - INT TERM HUP
        return 0
    fi
    undo_install
    why="\`$install\` failed"
    return 1
}

# Prints what Debian's toolchain lacks; nothing if it is complete.
debian_lacks() {
    minor=$("$usr/bin/rustc" --version 2>/dev/null | sed -n 's/^rustc 1\.\([0-9]*\)\..*/\1/p')
    if [ -z "$minor" ]; then echo "$usr/bin/rustc"
    elif [ "$minor" -lt "$oldest_minor" ]; then echo "rustc 1.$oldest_minor (1.$minor is installed)"
    elif [ ! -x "$usr/bin/cargo" ]; then echo "$usr/bin/cargo"
    elif [ ! -f "$usr/lib/rustlib/src/rust/library/core/Cargo.toml" ]; then echo "the source code of core"
    elif [ ! -x "$usr/lib/llvm-22/bin/llc" ]; then echo "LLVM 22"
    fi
}

ready_debian() {
    [ -n "$(debian_lacks)" ] || return 0
    as_root=
    [ "$(id -u)" -eq 0 ] || as_root="sudo -n"
    by_hand="${as_root:+sudo }apt-get update && ${as_root:+sudo }apt-get install $debian_packages"
    command -v apt-get >/dev/null || die "${why:+$why; }Debian's packages need apt-get, which this machine lacks"
    [ -z "$as_root" ] || sudo -n true 2>/dev/null ||
        die "${why:+$why; }Debian's toolchain lacks $(debian_lacks); run: $by_hand"
    say "installing $debian_packages"
    # shellcheck disable=SC2086 # lists of words
    { $as_root apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
        $as_root apt-get install -qq --no-install-recommends $debian_packages; } >&2 ||
        die "apt-get cannot install $debian_packages: enable the -security repository and run: $by_hand"
    lacks=$(debian_lacks)
    [ -z "$lacks" ] ||
        die "$debian_packages are installed, but $lacks is missing: enable the -security repository, run ./x again"
}

command -v cc >/dev/null || die "no C compiler (cc), which Rust needs to link host programs: apt-get install gcc libc6-dev"

why="X_TOOLCHAIN=debian"
case "${X_TOOLCHAIN:-}" in
debian) toolchain=debian ;;
rustup) ready_rustup || die "$why"; toolchain=rustup ;;
"") if ready_rustup; then toolchain=rustup; else toolchain=debian; fi ;;
*) die "X_TOOLCHAIN=$X_TOOLCHAIN: expected debian or rustup" ;;
esac

if [ $toolchain = debian ] || [ "${1:-}" = compare ]; then ready_debian; fi
export X_CALLER_DIR="$PWD"
cd "$root"
if [ $toolchain = rustup ]; then
    unset RUSTC
    export RUSTUP_TOOLCHAIN="$channel" PATH="${rustc%/rustc}:$PATH"
    exec cargo xtask "$@"
fi
say "using Debian's toolchain: $why"
unset RUSTUP_TOOLCHAIN
export RUSTC_BOOTSTRAP=1 RUSTC="$usr/bin/rustc" PATH="$usr/bin:$PATH" CARGO_TARGET_DIR="$root/target/debian"
exec "$usr/bin/cargo" xtask "$@"
