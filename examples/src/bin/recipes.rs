//! Runs the eleven recipes of the book, and checks what they compute. `recipes NAME…` runs some.

use examples::expected::{self, compare, compare_rounded};
use examples::{Gpu, Result};

/// A recipe returns what it has computed, in a line.
type Recipe = fn(&Gpu) -> Result<String>;

const RECIPES: [(&str, Recipe); 11] = [
    ("axpy", axpy),
    ("sum", sum),
    ("softmax", softmax),
    ("rms_norm", rms_norm),
    ("histogram", histogram),
    ("transposition", transposition),
    ("stencil", stencil),
    ("scan", scan),
    ("look_back", look_back),
    ("pipelined_sum", pipelined_sum),
    ("matrix_vector", matrix_vector),
];

fn main() -> Result<()> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    if let Some(name) = names.iter().find(|name| RECIPES.iter().all(|(known, _)| known != name)) {
        let known = RECIPES.map(|(name, _)| name).join(", ");
        return Err(format!("there is no recipe {name}; the recipes are {known}").into());
    }
    let gpu = Gpu::open()?;
    let mut wrong = Vec::new();
    let is_wanted = |name: &str| names.is_empty() || names.iter().any(|wanted| wanted == name);
    for (name, run) in RECIPES.iter().filter(|(name, _)| is_wanted(name)) {
        match run(&gpu) {
            Ok(said) => println!("{name}: {said}"),
            Err(error) => {
                eprintln!("{name}: {error}");
                wrong.push(*name);
            }
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(format!("wrong or failed: {}", wrong.join(", ")).into()) }
}

fn axpy(gpu: &Gpu) -> Result<String> {
    let (x, y) = (expected::numbers(100_003), expected::whole_numbers(100_003));
    let got = gpu.axpy(2.0, &x, &y)?;
    compare(&got, &expected::axpy(2.0, &x, &y))?;
    Ok(format!("2 · {} + {} = {}, and {} more", x[0], y[0], got[0], got.len() - 1))
}

fn sum(gpu: &Gpu) -> Result<String> {
    let x = expected::whole_numbers(100_003);
    let got = gpu.sum(&x)?;
    compare(&[got], &[x.iter().sum()])?;
    Ok(format!("the sum of {} numbers is {got}", x.len()))
}

fn softmax(gpu: &Gpu) -> Result<String> {
    let (rows, columns) = (64, 1028);
    let matrix = expected::matrix(rows, columns);
    let got = gpu.softmax(&matrix, columns as u32)?;
    compare_rounded(&got, &expected::softmax(&matrix, columns))?;
    Ok(format!("the first of {rows} rows begins with {:?}", &got[..3]))
}

fn rms_norm(gpu: &Gpu) -> Result<String> {
    let (rows, columns) = (64, 1028);
    let (matrix, weights) = (expected::matrix(rows, columns), expected::numbers(columns));
    let got = gpu.normalize(&matrix, &weights, 1e-5)?;
    compare_rounded(&got, &expected::normalized(&matrix, &weights, 1e-5))?;
    Ok(format!("the first of {rows} rows begins with {:?}", &got[..3]))
}

fn histogram(gpu: &Gpu) -> Result<String> {
    let words = expected::words(100_003);
    let got = gpu.histogram(&words)?;
    compare(&got, &expected::counts_of_low_bytes(&words))?;
    Ok(format!("{} of {} words end with the byte 7", got[7], words.len()))
}

fn transposition(gpu: &Gpu) -> Result<String> {
    let (width, height) = (132, 260);
    let matrix = expected::numbers(width * height);
    let got = gpu.transpose(&matrix, width as u64, height as u64)?;
    compare(&got, &expected::transposed(&matrix, width))?;
    Ok(format!("row 1 begins with {:?}, the column 1 of {height} by {width}", &got[height..height + 3]))
}

fn stencil(gpu: &Gpu) -> Result<String> {
    let x = expected::whole_numbers(100_003);
    let got = gpu.smooth(&x)?;
    compare(&got, &expected::smoothed(&x))?;
    Ok(format!("{:?} become {:?}, and {} more", &x[..3], &got[..3], x.len() - 3))
}

fn scan(gpu: &Gpu) -> Result<String> {
    let words = expected::words(97 * 1024);
    let got = gpu.scan(&words)?;
    compare(&got, &expected::scanned(&words))?;
    Ok(format!("the last of {} sums is {}", got.len(), got[got.len() - 1]))
}

fn look_back(gpu: &Gpu) -> Result<String> {
    let words = expected::words(100_003);
    let got = gpu.scan_by_look_back(&words)?;
    compare(&got, &expected::sums_before(&words))?;
    Ok(format!("the last of {} sums is {}", got.len(), got[got.len() - 1]))
}

fn pipelined_sum(gpu: &Gpu) -> Result<String> {
    let x = expected::whole_numbers(97 * 1024);
    let got = gpu.sum_in_parts(&x)?;
    compare(&[got], &[x.iter().sum()])?;
    Ok(format!("the sum of {} numbers is {got}", x.len()))
}

fn matrix_vector(gpu: &Gpu) -> Result<String> {
    let (rows, columns) = (259, 1028);
    let (matrix, x) = (expected::whole_numbers(rows * columns), expected::whole_numbers(columns));
    let got = gpu.multiply(&matrix, &x)?;
    compare(&got, &expected::product(&matrix, &x))?;
    Ok(format!("the first of {rows} products are {:?}", &got[..3]))
}
