//! orc-peer FILE PASSES: reads an ORC file with orc-rust on one thread; a line of JSON for each pass.

use arrow::record_batch::RecordBatchReader;
use orc_rust::ArrowReaderBuilder;
use std::{env, fs, fs::File, time::Instant};

/// A field of /proc/self/status, in kB.
fn status(field: &str) -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find(|l| l.starts_with(field)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// User and system time of this process so far, in seconds.
fn cpu() -> f64 {
    let text = fs::read_to_string("/proc/self/schedstat").unwrap();
    text.split_whitespace().next().unwrap().parse::<f64>().unwrap() / 1e9
}

fn main() {
    let args: Vec<String> = env::args().collect();
    for _ in 0..args[2].parse::<usize>().unwrap() {
        let (c, t) = (cpu(), Instant::now());
        let (mut rows, mut bytes) = (0, 0);
        let reader = ArrowReaderBuilder::try_new(File::open(&args[1]).unwrap()).unwrap().with_batch_size(8192).build();
        let _ = reader.schema();
        for batch in reader {
            let batch = batch.unwrap();
            rows += batch.num_rows();
            bytes += batch.get_array_memory_size();
        }
        println!(
            "{{\"rows\":{rows},\"arrow_bytes\":{bytes},\"cpu\":{:.6},\"wall\":{:.6},\"peak_rss_kb\":{}}}",
            cpu() - c,
            t.elapsed().as_secs_f64(),
            status("VmHWM")
        );
    }
}
